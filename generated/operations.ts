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
