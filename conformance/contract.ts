import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import contract from '../generated/contract.json' with { type: 'json' };
import { findCall } from '../model/calls.ts';
import type { HttpRequest } from './http/client.ts';
import type { Operation } from './http/simulated-browser.ts';

export type DocumentedResponse = { operation: Operation; status: number };

export type Contract = {
  responses: DocumentedResponse[];
  /** Returns the operation of a request, or undefined for a path or method that does not exist. */
  operationOf: (request: HttpRequest) => Operation | undefined;
  /** Returns why a body violates the contract. Empty for a response that is not documented. */
  violations: (operation: Operation, status: number, body: unknown) => string[];
};

type ResponseObject = { content?: { 'application/json': { schema: object } } | undefined };
type OperationObject = { operationId: Operation; responses: Record<string, ResponseObject> };
type Paths = Record<string, Record<string, OperationObject>>;

/** Reads the contract and compiles its response schemas. */
export function createContract(): Contract {
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  ajvFormats.default(ajv);
  const responses: DocumentedResponse[] = [];
  const validators = new Map<string, ValidateFunction>();
  for (const methods of Object.values(contract.paths as unknown as Paths)) {
    for (const { operationId, responses: documented } of Object.values(methods)) {
      for (const [status, { content }] of Object.entries(documented)) {
        responses.push({ operation: operationId, status: Number(status) });
        const schema = content?.['application/json'].schema;
        if (schema) validators.set(`${operationId} ${status}`, ajv.compile(schema));
      }
    }
  }
  return {
    responses,
    operationOf: ({ method, path }) => findCall(method, path)?.call,
    violations(operation, status, body) {
      const validate = validators.get(`${operation} ${status}`);
      return !validate || validate(body) ? [] : (validate.errors ?? []).map(formatError);
    },
  };
}

function formatError({ instancePath, message = 'is not valid' }: ErrorObject): string {
  const path = instancePath.slice(1).replaceAll('/', '.');
  return `${path || 'the body'} ${message}`;
}
