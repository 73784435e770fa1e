import { hash } from 'node:crypto';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { FastifyInstance } from 'fastify';
import { parse } from 'yaml';
import type { operations } from '../../generated/api.d.ts';
import { Refusal, refusalNames, type RefusalAnswer, type RefusalName } from '../refusal.ts';
import { setSessionCookies, type Guard } from './guard.ts';
import { createListSender, type List } from './list-responses.ts';
import type { Session } from '../auth/sessions.ts';
import { createSerializer, type Serialize } from './serializers.ts';

export type OperationId = keyof operations;

/** The operations that the contract opens to people who are not signed in (`security: []`). */
const publicOperations = ['login', 'registerUser'] as const satisfies OperationId[];
type PublicOperation = (typeof publicOperations)[number];

type Json<T> = T extends { content: { 'application/json': infer Body } } ? Body : never;
type ListOf<T> = T extends (infer Item)[] ? List<Item> : never;
type Responses<Id extends OperationId> = operations[Id]['responses'];

/** A request that the contract allows, from somebody who may make it. */
export interface Call<Id extends OperationId> {
  body: Json<operations[Id]['requestBody']>;
  /** The parts of the path that the contract names. */
  path: NonNullable<operations[Id]['parameters']['path']>;
  /** Headers under their names in lower case. */
  headers: Record<string, string | string[] | undefined>;
  session: Id extends PublicOperation ? Session | undefined : Session;
  /** The IP address that it came from. */
  address: string;
}

/** A success. A refusal is thrown. */
export type Answer<Id extends OperationId> = {
  [Status in Success<Id>]: {
    status: Status;
    body: AnswerBody<Json<Responses<Id>[Status]>>;
    /** The session that this answer gives to the browser. */
    session?: Session;
  };
}[Success<Id>];
type Success<Id extends OperationId> = keyof Responses<Id> & (200 | 201 | 204);
type AnswerBody<T> = [T] extends [never] ? undefined : T | ListOf<T>;

export type Operation<Id extends OperationId> = (call: Call<Id>) => Promise<Answer<Id>>;
export type Operations = { [Id in OperationId]: Operation<Id> };

export interface Contract {
  operations: ContractOperation[];
  /** What each refusal answers. */
  refusals: Record<RefusalName, RefusalAnswer>;
  /** Another one for each text of openapi.yaml. */
  contractHash: string;
}

interface ContractOperation {
  id: string;
  method: string;
  /** With its parameters in braces, as the contract writes it. */
  path: string;
  isPublic: boolean;
  parameters: { name: string; in: string; validate: ValidateFunction }[];
  body: ValidateFunction | undefined;
  /** Undefined where the contract promises no body. */
  responses: Map<number, Serialize | undefined>;
}

/** Reads the text of openapi.yaml. Throws when it lacks a refusal that this server gives. */
export function readContract(text: string): Contract {
  const document = parse(text) as OpenApi;
  const { schemas } = document.components;
  const validator = createValidator(document);
  const resolve = <T extends object>(value: T | Reference): T =>
    '$ref' in value ? resolve(find(document, value.$ref) as T | Reference) : value;
  const examples = new Map<string, RefusalAnswer>();

  const found = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): ContractOperation => {
      const parameters = (operation.parameters ?? []).map(resolve);
      const body = operation.requestBody && resolve(operation.requestBody);
      const answers = Object.entries(operation.responses).map(([status, response]) => {
        const { content } = resolve(response);
        if (!content) return [Number(status), undefined] as const;
        const { schema, examples: named } = content['application/json'];
        for (const [name, { value }] of Object.entries(named)) {
          const message = (value as { message?: string }).message;
          if (message) examples.set(name, { status: Number(status), message });
        }
        const mistake = `${operation.operationId} broke the contract with ${status}`;
        return [Number(status), createSerializer(mistake, schema, schemas, validator)] as const;
      });
      return {
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        isPublic: (operation.security ?? document.security).length === 0,
        parameters: parameters.map((parameter) => ({
          name: parameter.name,
          in: parameter.in,
          validate: validator.compile(parameter.schema),
        })),
        body: body && validator.compile(body.content['application/json'].schema),
        responses: new Map(answers),
      };
    }),
  );

  const refusals = refusalNames.map((name) => {
    const example = examples.get(name);
    if (!example) throw new Error(`openapi.yaml has no example named ${name}.`);
    return [name, example] as const;
  });
  return {
    operations: found,
    refusals: Object.fromEntries(refusals) as Record<RefusalName, RefusalAnswer>,
    contractHash: hash('sha256', text).slice(0, 8),
  };
}

/**
 * Gives the app one route for each operation of the contract. A request reaches its operation only when the guard lets it
 * pass and the contract allows it; an answer leaves only when the contract allows it, without the keys it does not declare.
 * Throws when an operation is missing, or one too many.
 */
export function mountContract(
  app: FastifyInstance,
  contract: Contract,
  handlers: Operations,
  guard: Guard,
) {
  const declared = contract.operations.map(({ id }) => id);
  const open = contract.operations.filter((operation) => operation.isPublic).map(({ id }) => id);
  assertSameOperations('operations', declared, Object.keys(handlers));
  assertSameOperations('operations without a session', open, [...publicOperations]);

  const sendList = createListSender(contract.contractHash);
  app.decorateRequest('session');
  for (const operation of contract.operations) {
    const handle = handlers[operation.id as OperationId] as Operation<OperationId>;
    app.route({
      method: operation.method,
      url: operation.path.replaceAll(parameterInPath, ':$1'),
      onRequest: async (request, reply) => {
        const safe = operation.method === 'GET';
        const session = await guard(request, reply, { isPublic: operation.isPublic, isSafe: safe });
        request.setDecorator('session', session);
      },
      handler: async (request, reply) => {
        validateRequest(operation, request);
        const { status, body, session } = await handle({
          body: request.body,
          path: request.params,
          headers: request.headers,
          session: request.getDecorator('session'),
          address: request.ip,
        } as Call<OperationId>);

        const write = operation.responses.get(status);
        if (!operation.responses.has(status) || (!write && body !== undefined)) {
          throw new Error(`${operation.id} broke the contract with ${String(status)}`);
        }
        if (write && isList(body)) return sendList(request, reply, body, write);
        const text = write?.(body);
        if (session) setSessionCookies(request, reply, session);
        if (text === undefined) return reply.code(status).send();
        return reply.code(status).type('application/json; charset=utf-8').send(text);
      },
    });
  }
}

const parameterInPath = /\{(\w+)\}/g;

/** Whether an address without its query is one of the operation's. */
export function isAt({ path }: ContractOperation, address: string): boolean {
  return new RegExp(`^${path.replaceAll(parameterInPath, '[^/]+')}$`).test(address);
}

function assertSameOperations(what: string, declared: string[], present: string[]) {
  const missing = declared.filter((id) => !present.includes(id));
  const extra = present.filter((id) => !declared.includes(id));
  if (missing.length + extra.length === 0) return;
  throw new Error(
    `The server and openapi.yaml disagree about the ${what}. Missing here: ${missing.join(', ') || 'none'}. Missing there: ${extra.join(', ') || 'none'}.`,
  );
}

function validateRequest(
  { parameters, body }: ContractOperation,
  request: { headers: Record<string, unknown>; params: unknown; body: unknown },
) {
  if (body) {
    // No body and no content type either: nothing for the JSON parser to refuse.
    if (request.body === undefined) throw new Refusal('notJson');
    if (!body(request.body)) throw new Refusal({ status: 422, message: explain(body.errors) });
  }
  const path = request.params as Record<string, unknown>;
  for (const { name, in: place, validate } of parameters) {
    const value = place === 'path' ? path[name] : request.headers[name.toLowerCase()];
    if (value !== undefined && !validate(value)) {
      const message = `The ${place === 'path' ? 'address' : `header ${name}`} is not valid.`;
      throw new Refusal({ status: 422, message });
    }
  }
}

/** The first thing that is wrong, in a sentence for the person at the screen. */
function explain(errors: ValidateFunction['errors']): string {
  const [error] = errors as [ErrorObject];
  const field =
    error.keyword === 'required' ? error.params['missingProperty'] : error.instancePath.slice(1);
  if (!field) return 'The request body must be a JSON object.';
  const name = field.charAt(0).toUpperCase() + field.slice(1);
  if (error.keyword === 'required' || error.data === '') return `${name} is required.`;
  switch (error.keyword) {
    case 'type':
      return `${name} must be text.`;
    case 'minLength':
      return `${name} must be at least ${error.params['limit']} characters.`;
    case 'maxLength':
      return `${name} must be at most ${error.params['limit']} characters.`;
    case 'format':
      return `Invalid ${field} address.`;
    case 'pattern':
      return `${name} contains a character that cannot be kept.`;
    default:
      return `${name} is not valid.`;
  }
}

function isList(body: unknown): body is List<unknown> {
  return typeof body === 'object' && body !== null && 'slices' in body;
}

function createValidator(document: OpenApi) {
  const validator = new Ajv2020({ verbose: true, allowUnionTypes: true });
  addFormats.default(validator);
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    validator.addSchema(schema, `#/components/schemas/${name}`);
  }
  return validator;
}

function find(document: OpenApi, reference: string): unknown {
  const steps = reference.split('/').slice(1);
  return steps.reduce<unknown>((node, step) => (node as Record<string, unknown>)[step], document);
}

interface Reference {
  $ref: string;
}

interface Content {
  'application/json': { schema: object; examples: Record<string, { value: unknown }> };
}

/** The part of an OpenAPI document that the mount reads. */
interface OpenApi {
  paths: Record<
    string,
    Record<
      string,
      {
        operationId: string;
        security?: unknown[];
        parameters?: ({ name: string; in: string; schema: object } | Reference)[];
        requestBody?: { content: Content } | Reference;
        responses: Record<string, { content?: Content } | Reference>;
      }
    >
  >;
  components: { schemas: Record<string, object> };
  security: unknown[];
}
