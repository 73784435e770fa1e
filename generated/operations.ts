/** Generated from openapi.yaml by `npm run generate`. */
import type { components, operations } from './api.d.ts';

/** How each operation is sent. `isBody` checks the types in the body of a success that has one. */
export const operationTable = {
  login: {
    method: 'post',
    path: '/api/v1/auth/login',
    hasBody: true,
    successStatus: 200,
    isBody: (body: unknown) => isSignedIn(body),
  },
  registerUser: {
    method: 'post',
    path: '/api/v1/users/register',
    hasBody: true,
    successStatus: 201,
    isBody: (body: unknown) => isUser(body),
  },
  listProjects: {
    method: 'get',
    path: '/api/v1/projects',
    hasBody: false,
    successStatus: 200,
    isBody: (body: unknown) => Array.isArray(body) && body.every((item) => isProject(item)),
  },
  createProject: {
    method: 'post',
    path: '/api/v1/projects',
    hasBody: true,
    successStatus: 201,
    isBody: (body: unknown) => isProject(body),
  },
} as const;

export type OperationId = keyof typeof operationTable;

/** What each operation receives, and the bodies of its successes by status. */
export interface OperationTypes {
  login: {
    isPublic: true;
    params: unknown;
    body: NonNullable<operations['login']['requestBody']>['content']['application/json'];
    successes: {
      200: operations['login']['responses'][200]['content']['application/json'];
    };
  };
  registerUser: {
    isPublic: true;
    params: unknown;
    body: NonNullable<operations['registerUser']['requestBody']>['content']['application/json'];
    successes: {
      201: operations['registerUser']['responses'][201]['content']['application/json'];
    };
  };
  listProjects: {
    isPublic: false;
    params: unknown;
    body: unknown;
    successes: {
      200: operations['listProjects']['responses'][200]['content']['application/json'];
    };
  };
  createProject: {
    isPublic: false;
    params: unknown;
    body: NonNullable<operations['createProject']['requestBody']>['content']['application/json'];
    successes: {
      201: operations['createProject']['responses'][201]['content']['application/json'];
    };
  };
}

/** An example of an error response. It has the status and the message. */
export type RefusalName =
  | 'malformedJson'
  | 'malformedHeaders'
  | 'wrongCredentials'
  | 'xsrfTokenMismatch'
  | 'otherOrigin'
  | 'bodyTooLarge'
  | 'notJson'
  | 'expectationFailed'
  | 'invalidEmail'
  | 'passwordTooShort'
  | 'tooManyAttempts'
  | 'headersTooLarge'
  | 'internalServerError'
  | 'unavailable'
  | 'emailTaken'
  | 'notSignedIn'
  | 'keyReused'
  | 'titleMissing'
  | 'descriptionMissing'
  | 'titleTooLong';

/** The fields of each schema: their types, whether they are required, and their limits. */
export const schemaFields = {
  Credentials: {
    email: { types: [ 'string' ], isRequired: true, minLength: 1, maxLength: 254 },
    password: {
      types: [ 'string' ],
      isRequired: true,
      format: 'password',
      minLength: 8,
      maxLength: 128
    }
  },
  User: { role: { types: [ 'string' ], isRequired: false } },
  NewProject: {
    title: { types: [ 'string' ], isRequired: true, minLength: 1, maxLength: 10000 },
    description: { types: [ 'string' ], isRequired: true, minLength: 1, maxLength: 100000 }
  },
  Project: {
    id: { types: [ 'string', 'integer' ], isRequired: true },
    title: { types: [ 'string' ], isRequired: true },
    description: { types: [ 'string' ], isRequired: true }
  },
  Refusal: { message: { types: [ 'string' ], isRequired: true, minLength: 1 } }
} as const;

/** The fields of the body that each operation receives. */
export const bodyFields = {
  login: schemaFields.Credentials,
  registerUser: schemaFields.Credentials,
  createProject: schemaFields.NewProject,
} as const;

/** Returns the values of an empty form. */
export const emptyValues = <Name extends string>(fields: Readonly<Record<Name, unknown>>) =>
  Object.fromEntries(Object.keys(fields).map((name) => [name, ''])) as Record<Name, string>;

/** Returns the values of these fields as one text. Null, undefined and an empty text are equal. */
export const textOfFields = <Name extends string>(
  fields: Readonly<Record<Name, unknown>>,
  values: { readonly [Key in Name]?: unknown },
) => JSON.stringify(Object.keys(fields).map((name) => values[name as Name] ?? ''));

export const isSignedIn = (value: unknown): value is components['schemas']['SignedIn'] =>
  isObject(value);

export const isUser = (value: unknown): value is components['schemas']['User'] =>
  isObject(value) &&
  (value['role'] === undefined || typeof value['role'] === 'string');

export const isProject = (value: unknown): value is components['schemas']['Project'] =>
  isObject(value) &&
  (typeof value['id'] === 'string' || typeof value['id'] === 'number') &&
  typeof value['title'] === 'string' &&
  typeof value['description'] === 'string';

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
