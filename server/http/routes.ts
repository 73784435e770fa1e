import type { OperationId } from '../../generated/operations.ts';
import type { ValidateFunction } from 'ajv';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Session } from '../auth/sessions.ts';
import { Refusal } from '../auth/refusal.ts';
import { createConcurrencyLimit } from './concurrency-limit.ts';
import {
  type Contract,
  type OperationRequest,
  type Operations,
  type SetCookies,
} from './contract.ts';
import { sendJson } from './error-responses.ts';
import type { Guard } from './guard.ts';
import { createListSender, isListBody } from './list-responses.ts';
import { logSuccess, type SecurityEvents } from './security-log.ts';
import { createAjv, describeErrors, requireStorableTexts, toRefusal } from './validation.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    refusals?: Contract['refusals'];
  }
}

/** Of a body that is received in a moment, so that few of them are in memory at once. */
const maxShortBodyBytes = 64 * 1024;

type AnyResponse = {
  status: number;
  body: unknown;
  setCookies?: SetCookies;
  endedSession?: Session | undefined;
};
type AnyOperation = {
  execute: (request: OperationRequest<OperationId>) => Promise<AnyResponse>;
  securityEvents?: SecurityEvents;
};

/**
 * Adds one route per operation of the contract. Requests pass the guard, then Fastify's validation.
 * Responses but lists are validated too, and undeclared keys are omitted.
 */
export function registerRoutes(
  app: FastifyInstance,
  contract: Contract,
  operations: Operations,
  guard: Guard,
) {
  const ajv = createAjv();
  app.setValidatorCompiler(({ schema }) => ajv.compile(requireStorableTexts(schema)));
  app.setSchemaErrorFormatter(toRefusal);
  const enterLongBody = createConcurrencyLimit(16);
  const sendList = createListSender(contract.contractHash);
  app.decorateRequest('session');
  for (const operation of contract.operations) {
    const { id, method, url, isPublic, requestSchemas, responseSchemas, maxBodyBytes, refusals } =
      operation;
    const { execute, securityEvents } = operations[id as OperationId] as AnyOperation;
    const successes = [...responseSchemas].filter(([status]) => status < 300);
    const validators = new Map(
      successes.map(([status, schema]) => [status, schema && ajv.compile(schema)]),
    );
    app.route({
      method,
      url,
      config: { operationId: id, refusals, securityEvents },
      bodyLimit: maxBodyBytes,
      schema: {
        ...requestSchemas,
        response: Object.fromEntries(successes.filter(([, schema]) => schema)),
      },
      onRequest: async (request, reply) => {
        const isSafe = method === 'GET';
        const session = await guard(request, reply, { isPublic, isSafe });
        request.setDecorator('session', session);
        // Fastify neither parses nor refuses a request without body and content type.
        if (requestSchemas.body && request.headers['content-type'] === undefined) {
          throw new Refusal('notJson');
        }
        const bytes = Number(request.headers['content-length'] ?? maxBodyBytes);
        if (session && !isSafe && bytes > maxShortBodyBytes) {
          enterLongBody(reply, session.accountId);
        }
      },
      handler: async (request, reply) => {
        const response = await execute(toOperationRequest(request));
        assertDeclared(response, validators, id);
        const { status, body, setCookies, endedSession } = response;
        reply.code(status);
        if (isListBody(body)) return sendList(request, reply, body);
        const json = body === undefined ? undefined : (reply.serialize(body) as string);
        setCookies?.(request, reply);
        logSuccess(request, endedSession);
        if (json === undefined) return reply.send();
        return sendJson(reply, json);
      },
    });
  }
}

function toOperationRequest(request: FastifyRequest) {
  return {
    body: request.body,
    params: request.params,
    headers: request.headers,
    session: request.getDecorator<Session | undefined>('session'),
    ip: request.clientAddress,
    hasLeft: () => request.raw.socket.destroyed,
    identify: (accountId: string) => void (request.accountId = accountId),
  } as OperationRequest<OperationId>;
}

/** Throws if the contract does not declare the response of an operation. Lists are not validated. */
function assertDeclared(
  { status, body }: AnyResponse,
  validators: Map<number, ValidateFunction | undefined>,
  id: string,
) {
  const violation = `${id} broke the contract with ${status}`;
  const validate = validators.get(status);
  if (!validators.has(status) || (!validate && body !== undefined)) throw new Error(violation);
  if (validate && !isListBody(body) && !validate(body)) {
    throw new Error(`${violation}: ${describeErrors(validate.errors!)}`);
  }
}
