/** Reads the operations of a dereferenced OpenAPI document, such as generated/contract.json. */

export interface Schema {
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  minLength?: number;
  maxLength?: number;
}

/** A parameter, a header or a property. */
export interface Field {
  description?: string;
  required?: boolean;
  schema: Schema;
  example?: unknown;
}

export interface Example {
  name: string;
  summary?: string;
  value: unknown;
}

export interface ContractDocument {
  /** Of the operations that declare none. */
  security: object[];
  paths: Record<string, Record<string, OperationObject>>;
}

interface OperationObject {
  operationId: string;
  summary?: string;
  description?: string;
  security?: object[];
  parameters?: (Field & { name: string; in: string })[];
  requestBody?: BodyObject;
  responses: Record<string, ResponseObject>;
}

interface BodyObject {
  content?: Record<
    'application/json',
    { schema: Schema; examples?: Record<string, Omit<Example, 'name'>> }
  >;
}

interface ResponseObject extends BodyObject {
  description?: string;
  headers?: Record<string, Field>;
}

export type ContractOperation = ReturnType<typeof operationsOf>[number];
export type ContractResponse = ContractOperation['responses'][number];

type Status = Pick<ContractResponse, 'status'>;
export const isSuccess = ({ status }: Status) => status >= 200 && status < 300;
export const isRefusal = ({ status }: Status) => status >= 400;

/** Returns the operations in the order of the document. */
export function operationsOf({ paths, security }: ContractDocument) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const { operationId: id, summary = '', description = '', parameters = [] } = operation;
      return {
        id,
        path,
        method: method.toUpperCase(),
        summary,
        description,
        /** Needs no session. */
        isPublic: (operation.security ?? security).length === 0,
        parameters,
        body: operation.requestBody && readBody(operation.requestBody),
        responses: Object.entries(operation.responses).map(([status, response]) => ({
          status: Number(status),
          description: response.description ?? '',
          headers: response.headers ?? {},
          ...readBody(response),
        })),
      };
    }),
  );
}

/** `schema` is undefined where the contract declares no body. */
function readBody({ content }: BodyObject) {
  const { schema, examples = {} } = content?.['application/json'] ?? {};
  return {
    schema,
    examples: Object.entries(examples).map(([name, example]): Example => ({ name, ...example })),
  };
}
