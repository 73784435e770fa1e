import {
  changeErrorResponses,
  changeExistingEmailResponse,
  changeRegisterResponse,
  changeResponses,
  createFaults,
  interceptResponses,
  jsonObjectOf,
  withJson,
  type FaultTable,
} from '../fault-builders.ts';

const stackTrace =
  'Error: refused\n    at login (/srv/app/routes/auth.js:42:11)\n    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)';
const pythonTraceback =
  'Traceback (most recent call last):\n  File "/srv/app/views.py", line 12, in login';
const databaseError = 'duplicate key value violates unique constraint "account_email_key"';

/** Faults that expose secrets or internals of the backend. */
export const leakFaults: FaultTable[] = [
  createFaults(changeRegisterResponse, {
    'the registerUser response repeats the password [LEAK-2]': (response, request) =>
      withJson(response, { role: 'member', ...jsonObjectOf(request) }),
    'the registerUser response contains the password hash [LEAK-2]': (response) =>
      withJson(response, { role: 'member', passwordHash: '$2b$12$KIXQJ1t1c4G0Yd1r2o9hXe' }),
  }),
  createFaults(changeErrorResponses, {
    'error messages contain the path of a file [LEAK-3]': (response) =>
      withJson(response, { message: 'Refused by /srv/app/routes/projects.js.' }),
    'error messages contain the place in a Perl module [LEAK-3]': (response) =>
      withJson(response, { message: 'Malformed text at Serializer/JSON.pm line 47.' }),
    'error messages contain SQL [LEAK-3]': (response) =>
      withJson(response, { message: 'Refused: INSERT INTO "account" (email) VALUES ($1)' }),
  }),
  {
    'validation errors repeat the request [LEAK-2]': () =>
      interceptResponses(
        (response, request) =>
          response.status === 422 &&
          withJson(response, { ...jsonObjectOf(response), input: jsonObjectOf(request) }),
      ),
    'the login response contains a bcrypt hash [LEAK-2]': () =>
      changeResponses('login', 200, (response) =>
        withJson(response, {
          user: `ada:$2b$12$${'KIXQJ1t1c4G0Yd1r2o9hX'.repeat(3).slice(0, 53)}`,
        }),
      ),
    'error responses contain a stack trace [LEAK-1]': () =>
      changeErrorResponses((response, message) =>
        withJson(response, { message, stack: stackTrace }),
      ),
    'malformed JSON causes a response with a Python traceback [LEAK-1]': () =>
      interceptResponses(
        (response) => response.status === 400 && withJson(response, { message: pythonTraceback }),
      ),
    'the server answers an existing email with the error message of its database [LEAK-3]': () =>
      changeExistingEmailResponse((response) => withJson(response, { message: databaseError })),
  },
];
