/** The generators that `main.ts` tries, and how its table reaches the code that they write. */

import createClient from 'openapi-fetch';
import type { CaseName } from './values.ts';
import { operationTable, type OperationId } from '../../generated/operations.ts';

/** Returns whether a validator accepts a value. */
type Accepts = (value: unknown) => boolean;

export interface Generated {
  /** Makes a call with the generated client. */
  call: (id: OperationId, body?: object) => Promise<{ status: number; body: unknown }>;
  accepts?: Partial<Record<CaseName, Accepts>>;
  /** Returns a mocked list. */
  mockList?: () => unknown;
}

// oxlint-disable-next-line typescript/no-explicit-any -- the generated modules have no types here
export type Module = Record<string, any>;

interface Tool {
  packages: string[];
  /** Written beside openapi.yaml. */
  files?: Record<string, string>;
  command: string;
  /** The generated modules. */
  modules: string[];
  use: (modules: Module[], address: string) => Generated;
}

type ZodSchema = { safeParse: (value: unknown) => { success: boolean } };
const acceptsZod =
  (schema: ZodSchema): Accepts =>
  (value) =>
    schema.safeParse(value).success;

/** Returns the validators of a generator that has a schema for each of the contract. */
const acceptsBySchema = (schemas: Module) => ({
  credentials: acceptsZod(schemas['Credentials']),
  newProject: acceptsZod(schemas['NewProject']),
  list: (value: unknown) => Array.isArray(value) && value.every(acceptsZod(schemas['Project'])),
  error: acceptsZod(schemas['Refusal']),
});

/** Turns the response that a client returns, or throws, into status and body. */
async function settle(call: Promise<Module>, statusOf = ({ status }: Module) => status as number) {
  const result = await call.catch((error: Module) => error['response'] ?? error);
  return { status: statusOf(result), body: (result['data'] ?? result['error']) as unknown };
}

export const tools: Record<string, Tool> = {
  orval: {
    packages: ['orval@8.38.0', 'zod@4.6.7', 'msw@3.0.5', '@faker-js/faker@10.6.0'],
    files: {
      'orval.config.mjs': `const input = './openapi.yaml';
export default {
  fetch: { input, output: { target: 'out/fetch.ts', client: 'fetch', mode: 'split', mock: true } },
  zod: { input, output: { target: 'out/zod.ts', client: 'zod' } },
};`,
    },
    command: 'orval --config orval.config.mjs',
    modules: ['out/fetch.ts', 'out/zod.ts', 'out/fetch.faker.ts'],
    use: ([fetches, zod, faker]) => ({
      call: (id, body) => settle(fetches![id](...(body ? [body] : []))),
      accepts: {
        credentials: acceptsZod(zod!['LoginBody']),
        newProject: acceptsZod(zod!['CreateProjectBody']),
        list: acceptsZod(zod!['ListProjectsResponse']),
      },
      mockList: () => faker!['getListProjectsResponseMock'](),
    }),
  },
  '@hey-api/openapi-ts': {
    packages: ['@hey-api/openapi-ts@0.99.0', 'zod@4.6.7', 'typescript@5.9.3'],
    command:
      'openapi-ts -i ./openapi.yaml -o out -p @hey-api/client-fetch @hey-api/sdk @hey-api/typescript zod',
    modules: ['out/sdk.gen.ts', 'out/zod.gen.ts'],
    use: ([sdk, zod], baseUrl) => ({
      call: (id, body) => settle(sdk![id]({ baseUrl, body }), ({ response }) => response.status),
      accepts: {
        credentials: acceptsZod(zod!['zLoginBody']),
        newProject: acceptsZod(zod!['zCreateProjectBody']),
        list: acceptsZod(zod!['zListProjectsResponse']),
        error: acceptsZod(zod!['zRefusal']),
      },
    }),
  },
  'swagger-typescript-api': {
    packages: ['swagger-typescript-api@13.13.0', 'typescript@5.9.3'],
    command: 'swagger-typescript-api generate -p ./openapi.yaml -o out -n api.ts',
    modules: ['out/api.ts'],
    use: ([{ Api } = {}], baseUrl) => {
      const { api } = new Api({ baseUrl });
      return { call: (id, body) => settle(api[id](body)) };
    },
  },
  'openapi-zod-client': {
    packages: ['openapi-zod-client@1.18.3', '@zodios/core@10.9.6', 'axios@1.13.2', 'zod@3.25.76'],
    command: 'openapi-zod-client ./openapi.yaml -o api.ts',
    modules: ['api.ts'],
    use: ([{ createApiClient, schemas } = {}], address) => {
      const api = createApiClient(address, { axiosConfig: { adapter: 'fetch' } });
      return {
        // Returns the data alone, and throws at an error response.
        call: (id, body) =>
          settle(
            api[id](body).then((data: unknown) => ({
              status: operationTable[id].successStatus,
              data,
            })),
          ),
        accepts: acceptsBySchema(schemas),
      };
    },
  },
  'typed-openapi': {
    packages: ['typed-openapi@2.2.7', 'zod@3.25.76', 'typescript@5.9.3'],
    command: 'typed-openapi ./openapi.yaml -o out/api.ts --runtime zod',
    modules: ['out/api.ts'],
    use: ([module = {}], address) => {
      const fetcher = {
        fetch: ({ method, url, parameters }: Module) =>
          fetch(url, {
            method,
            ...(parameters?.['body'] && {
              body: JSON.stringify(parameters['body']),
              headers: { 'content-type': 'application/json' },
            }),
          }),
      };
      const api = module['createApiClient'](fetcher, address);
      return {
        call: (id, body) => {
          const { method, path } = operationTable[id];
          const options = { body, withResponse: true, throwOnStatusError: false };
          return settle(api[method](path, options));
        },
        accepts: acceptsBySchema(module),
      };
    },
  },
  'openapi-typescript': {
    packages: ['openapi-typescript@7.13.0', 'typescript@5.9.3'],
    command: 'openapi-typescript ./openapi.yaml -o out/api.ts',
    modules: ['out/api.ts'],
    use: (_, baseUrl) => {
      const client = createClient<object>({ baseUrl }) as Module;
      return {
        call: (id, body) => {
          const { method, path } = operationTable[id];
          return settle(
            client[method.toUpperCase()](path, { body }),
            ({ response }) => response.status,
          );
        },
      };
    },
  },
};
