/** The operations and examples of the contract, from `generated/contract.json`. */
import { readFileSync } from 'node:fs';

export interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  minLength?: number;
  maxLength?: number;
}

interface Content {
  content?: {
    'application/json': { schema: Schema; examples?: Record<string, { value: unknown }> };
  };
}

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; schema: Schema }[];
  requestBody?: Content;
  responses: Record<string, Content>;
}

const { paths } = JSON.parse(
  readFileSync(new URL('../generated/contract.json', import.meta.url), 'utf8'),
) as { paths: Record<string, Record<string, Operation>> };

export const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    ...operation,
    method: method.toUpperCase(),
    path,
  })),
);

/** The named examples of responses. */
export const examples = operations.flatMap(({ operationId, responses }) =>
  Object.entries(responses).flatMap(([status, { content }]) =>
    Object.entries(content?.['application/json'].examples ?? {}).map(([name, { value }]) => ({
      operationId,
      status: Number(status),
      name,
      body: value as { message?: string },
    })),
  ),
);

export const jsonSchemaOf = ({ content }: Content = {}) => content?.['application/json'].schema;
