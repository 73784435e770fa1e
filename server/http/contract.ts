import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OperationId, OperationTypes, RefusalName } from '../../generated/operations.ts';
import type { Session } from '../auth/sessions.ts';
import type { RefusalResponse } from '../auth/refusal.ts';
import {
  operationsOf,
  type ContractDocument,
  type ContractOperation,
} from '../../shared/contract.ts';
import { pathPattern, replaceParameters } from '../../shared/path-templates.ts';
import { UsageError } from '../../shared/usage-error.ts';
import type { ListBody } from './list-responses.ts';
import type { SecurityEvents } from './security-log.ts';

/** A valid request, authorized by the guard. */
export interface OperationRequest<Id extends OperationId> {
  body: OperationTypes[Id]['body'];
  params: OperationTypes[Id]['params'];
  /** Keys are in lower case. */
  headers: Record<string, string | string[] | undefined>;
  session: OperationTypes[Id]['isPublic'] extends true ? Session | undefined : Session;
  /** IP address of the client, or `unreadableAddress`. */
  ip: string;
  /** Returns whether the client has disconnected. */
  hasLeft: () => boolean;
  /** Sets the account of the security log's lines about this request. */
  identify: (accountId: string) => void;
}

export type SetCookies = (request: FastifyRequest, reply: FastifyReply) => void;

/** A success response. To refuse, an operation throws a `Refusal`. */
export type OperationResponse<Id extends OperationId> = SuccessResponse<
  OperationTypes[Id]['successes']
>;
type SuccessResponse<Bodies> = {
  [Status in keyof Bodies]: {
    status: Status;
    body: Bodies[Status] | (Bodies[Status] extends unknown[] ? ListBody : never);
    /** Sets or clears cookies. */
    setCookies?: SetCookies;
    /** The session that it has ended, for the security log. */
    endedSession?: Session | undefined;
  };
}[keyof Bodies];

export type Operation<Id extends OperationId> = (
  request: OperationRequest<Id>,
) => Promise<OperationResponse<Id>>;
export type Operations = {
  [Id in OperationId]: { execute: Operation<Id>; securityEvents?: SecurityEvents | undefined };
};

export type Contract = ReturnType<typeof parseContract>;

/** A code point outside the basic plane may be written as two escapes, like \ud83d\ude00. */
const maxBytesPerCodePoint = 12;
/** For names, white space and properties that the contract does not name. */
const maxBytesOfRest = 16 * 1024;

let contract: Contract | undefined;

/** Returns the contract of this server, parsed once per process. Throws a `UsageError`. */
export function loadContract(): Contract {
  return (contract ??= parseContract(readContract()));
}

function readContract(): string {
  const file = new URL('../../generated/contract.json', import.meta.url);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/** Parses generated/contract.json. Throws a `UsageError`. */
export function parseContract(text: string) {
  const declared = operationsOf(parseJson(text));
  // The first example with each name.
  const refusals = Object.assign({}, ...declared.map(refusalsOf).toReversed()) as Record<
    RefusalName,
    RefusalResponse
  >;
  return {
    operations: declared.map((operation) => ({
      id: operation.id,
      method: operation.method,
      /** In Fastify's syntax: with parameters after colons, of which none is empty. */
      url: replaceParameters(operation.path, (name) => `:${name}(^.+$)`),
      pathPattern: pathPattern(operation.path),
      isPublic: operation.isPublic,
      /** JSON Schemas, in the form of Fastify's `schema` option. */
      requestSchemas: requestSchemas(operation),
      /** Enough for each valid body, in every JSON notation of its texts. */
      maxBodyBytes: maxBodyBytes(operation),
      /** JSON Schemas by status; undefined where the contract declares no body. */
      responseSchemas: new Map(operation.responses.map(({ status, schema }) => [status, schema])),
      /** The examples of its own responses, because the message may be about the operation. */
      refusals: { ...refusals, ...refusalsOf(operation) },
    })),
    /** For requests without an operation. */
    refusals,
    /** Part of every ETag, so that a new contract invalidates cached lists. */
    contractHash: hash('sha256', text).slice(0, 8),
  };
}

function parseJson(text: string): ContractDocument {
  try {
    return JSON.parse(text) as ContractDocument;
  } catch (cause) {
    const message = 'generated/contract.json is missing or broken: run "npm run generate".';
    throw new UsageError(message, { cause });
  }
}

function requestSchemas({ parameters, body }: ContractOperation): {
  body?: object;
  headers?: object;
  params?: object;
} {
  const objectOf = (location: string, toKey: (name: string) => string) => {
    const properties = parameters
      .filter((parameter) => parameter.in === location)
      .map(({ name, schema }) => [toKey(name), { title: name, ...schema }]);
    if (properties.length === 0) return undefined;
    return { type: 'object', properties: Object.fromEntries(properties) };
  };
  const headers = objectOf('header', (name) => name.toLowerCase());
  const params = objectOf('path', (name) => name);
  return {
    ...(body?.schema && { body: body.schema }),
    ...(headers && { headers }),
    ...(params && { params }),
  };
}

function maxBodyBytes({ body }: ContractOperation): number {
  const codePoints = Object.values(body?.schema?.properties ?? {}).reduce(
    (sum, { maxLength = 0 }) => sum + maxLength,
    0,
  );
  return codePoints * maxBytesPerCodePoint + maxBytesOfRest;
}

/** Returns the examples with a message by their names. */
function refusalsOf({ responses }: ContractOperation) {
  const refusals: Record<string, RefusalResponse> = {};
  for (const { status, examples } of responses) {
    for (const { name, value } of examples) {
      const { message } = value as { message?: string };
      if (message) refusals[name] = { status, message };
    }
  }
  return refusals;
}
