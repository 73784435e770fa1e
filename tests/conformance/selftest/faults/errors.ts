import { STATUS_CODES } from 'node:http';
import { parseJson } from '../../../../conformance/http/response.ts';
import {
  changeErrorResponses,
  changeExistingEmailResponse,
  createFaults,
  emailOf,
  errorResponse,
  hasSession,
  htmlPage,
  interceptRequests,
  interceptResponses,
  isOperation,
  isProjectOperation,
  jsonObjectOf,
  jsonResponse,
  sessionOf,
  withBody,
  withHeaders,
  withJson,
  type FaultTable,
} from '../fault-builders.ts';
import { closedConnection, type ProxyRequest, type ProxyResponse } from '../fault-proxy.ts';

const isObject = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const contentTypeOf = ({ headers }: ProxyRequest) => String(headers['content-type']);

const emptyRefusal = { status: 422, body: '' };

/** Faults of error responses. */
export const errorFaults: FaultTable[] = [
  createFaults(changeErrorResponses, {
    'error messages are in "detail" [ERR-1, ERR-2, ERR-3]': (response, message) =>
      withJson(response, { detail: message }),
    'error messages are inside "error" [ERR-1, ERR-2, ERR-3]': (response, message) =>
      withJson(response, { error: { message } }),
    'error messages are empty [ERR-1, ERR-3]': (response) => withJson(response, { message: '' }),
    'error messages are arrays [ERR-1, ERR-3]': (response, message) =>
      withJson(response, { message: [message] }),
    'error messages are codes [ERR-22]': ({ status }) =>
      errorResponse(status, `error.api.${status}`),
    'error messages are templates that nothing fills in [ERR-22]': ({ status }) =>
      errorResponse(status, 'The field {field} is required.'),
    'error messages are templates of Laravel [ERR-22]': ({ status }) =>
      errorResponse(status, 'The :attribute field is required.'),
    'error messages begin with undefined [ERR-22]': ({ status }) =>
      errorResponse(status, 'undefined is required.'),
    'error messages are the words of the status [ERR-22]': ({ status }) =>
      errorResponse(status, STATUS_CODES[status] ?? ''),
    'error messages contain markup [ERR-22]': ({ status }, message) =>
      errorResponse(status, `<p class="error">${message}</p>`),
    'error responses have no body [ERR-1, ERR-3]': (response) => withBody(response, ''),
    'error responses are HTML pages [ERR-1, REACH-2]': ({ status }) => htmlPage(status, 'Refused'),
    'error responses are plain text [ERR-1, REACH-2]': (response, message) =>
      withHeaders(withBody(response, message), { 'content-type': 'text/plain' }),
    "a 401 opens the browser's own sign-in dialog [ERR-23]": (response) =>
      withHeaders(response, { 'www-authenticate': 'Basic realm="tracker"' }),
  }),
  createFaults(causeInternalError, {
    'an invalid email causes a 500 [ERR-6]': (request) =>
      isOperation(request, 'registerUser') && !emailOf(request).includes('@'),
    'a project without a title causes a 500 [ERR-10]': (request) =>
      isOperation(request, 'createProject') &&
      request.body !== '' &&
      jsonObjectOf(request)['title'] === undefined,
    'malformed JSON causes a 500 [ERR-13]': (request) =>
      request.body !== '' &&
      parseJson(request.body) === undefined &&
      contentTypeOf(request).includes('json'),
    'an array in place of an object causes a 500 [ERR-14]': (request) =>
      isOperation(request, 'login') && request.body === '[]',
    'a sign-in without a password causes a 500 [ERR-9]': (request) =>
      isOperation(request, 'login') &&
      'email' in jsonObjectOf(request) &&
      !('password' in jsonObjectOf(request)),
    'an email that is a number causes a 500 [ERR-25]': (request) =>
      isOperation(request, 'login') && jsonObjectOf(request)['email'] === 5,
    'a password that is a number causes a 500 [ERR-36]': (request) =>
      isOperation(request, 'login') && typeof jsonObjectOf(request)['password'] === 'number',
    'a password that is an object causes a 500 [ERR-37]': (request) =>
      isOperation(request, 'login') && isObject(jsonObjectOf(request)['password']),
    'an email that is an array causes a 500 [ERR-38]': (request) =>
      isOperation(request, 'login') && Array.isArray(jsonObjectOf(request)['email']),
    'objects in place of an email and a password cause a 500 [ERR-39]': (request) =>
      isOperation(request, 'login') && isObject(jsonObjectOf(request)['email']),
    'a fragment of SQL in an email causes a 500 [ERR-40]': (request) =>
      isOperation(request, 'login') && emailOf(request).includes("' or"),
    'a password that is true causes a 500 [ERR-43]': (request) =>
      isOperation(request, 'login') && jsonObjectOf(request)['password'] === true,
    'a password that is null causes a 500 [ERR-44]': (request) =>
      isOperation(request, 'login') && jsonObjectOf(request)['password'] === null,
    'a password that is an array causes a 500 [ERR-45]': (request) =>
      isOperation(request, 'login') && Array.isArray(jsonObjectOf(request)['password']),
    'a registration with a number as password causes a 500 [ERR-41]': (request) =>
      isOperation(request, 'registerUser') && typeof jsonObjectOf(request)['password'] === 'number',
    'a registration with an object as password causes a 500 [ERR-42]': (request) =>
      isOperation(request, 'registerUser') && isObject(jsonObjectOf(request)['password']),
    'a registration with a password outside Latin-1 causes a 500 [ACCOUNT-4]': (request) =>
      isOperation(request, 'registerUser') &&
      /[^\0-\xff]/.test(String(jsonObjectOf(request)['password'])),
    'a registration without a password causes a 500 [ERR-47]': (request) =>
      isOperation(request, 'registerUser') &&
      'email' in jsonObjectOf(request) &&
      !('password' in jsonObjectOf(request)),
    'a title that is an array causes a 500 [ERR-48]': (request) =>
      isOperation(request, 'createProject') && Array.isArray(jsonObjectOf(request)['title']),
    'a registration without an email causes a 500 [ERR-26]': (request) =>
      isOperation(request, 'registerUser') && !('email' in jsonObjectOf(request)),
    'an array in place of a project causes a 500 [ERR-46]': (request) =>
      isOperation(request, 'createProject') && request.body === '[]',
    'the JSON body null causes a 500 [ERR-27]': ({ body }) => body === 'null',
    'an empty body causes a 500 [ERR-28]': ({ method, body }) => method === 'POST' && body === '',
    'deeply nested JSON causes a 500 [ERR-29]': ({ body }) => body.startsWith('[['),
    'a project that is not UTF-8 causes a 500 [ERR-30]': ({ body }) => body.includes('\uFFFD'),
    'a byte order mark causes a 500 [ERR-31]': ({ body }) => body.startsWith('\uFEFF'),
    'an unknown field of a project causes a 500 [ERR-32]': ({ body }) => body.includes('"colour"'),
    'a description that is null causes a 500 [ERR-35]': (request) =>
      isOperation(request, 'createProject') && jsonObjectOf(request)['description'] === null,
    'a title that is a number causes a 500 [ERR-12]': (request) =>
      isOperation(request, 'createProject') && jsonObjectOf(request)['title'] === 42,
    'a project without a description causes a 500 [ERR-11]': (request) =>
      isOperation(request, 'createProject') &&
      'title' in jsonObjectOf(request) &&
      !('description' in jsonObjectOf(request)),
    'a password of 7 characters causes a 500 [ERR-7]': (request) =>
      isOperation(request, 'registerUser') &&
      String(jsonObjectOf(request)['password']).length === 7,
  }),
  createFaults(interceptRequests, {
    'the server rejects a form in place of JSON with an HTML page [ERR-15]': (request) =>
      contentTypeOf(request).includes('form') && htmlPage(415, 'Unsupported Media Type'),
    'the server rejects a blank title without a message [ERR-4]': (request) =>
      isOperation(request, 'createProject') &&
      jsonObjectOf(request)['title'] === '   ' &&
      jsonResponse(422, { errors: ['title'] }),
    'the server rejects a missing XSRF token with an HTML page [ERR-19]': (request) =>
      isOperation(request, 'createProject') &&
      hasSession(request) &&
      request.headers['x-xsrf-token'] === undefined &&
      htmlPage(403, 'Forbidden'),
    'the server rejects a content type with a charset [ERR-33]': (request) =>
      contentTypeOf(request).includes('charset') &&
      errorResponse(415, 'The request must be sent as JSON.'),
    'the server closes the connection on a large body [ERR-16]': ({ body }) =>
      body.length > 1_500_000 && closedConnection,
    'the server answers an unsupported method with 200 [ERR-18]': ({ method, path }) =>
      method === 'GET' && path.endsWith('login') && jsonResponse(200, {}),
    'an emoji in a project causes a 500 with an HTML page [TEXT-2, ERR-20]': (request) =>
      isOperation(request, 'createProject') &&
      /\p{Extended_Pictographic}/u.test(request.body) &&
      htmlPage(500, 'Internal Server Error'),
  }),
  {
    'the server answers a project without a title with 200 and an error [ERR-10]': () =>
      interceptResponses(
        (response, request) =>
          isOperation(request, 'createProject') &&
          response.status === 422 &&
          !('title' in jsonObjectOf(request)) &&
          withJson(response, { error: true }, 200),
      ),
    'refusals of registrations have no body [ERR-5, ACCOUNT-17]': () =>
      interceptResponses((response, request) => {
        const isRefused = response.status >= 400 || request.body.includes('\\u0000');
        return (
          isOperation(request, 'registerUser') && isRefused && { ...response, ...emptyRefusal }
        );
      }),
    'the server rejects an existing email without a message [ERR-5]': () =>
      changeExistingEmailResponse((response) => withJson(response, { code: 'EMAIL_TAKEN' })),
    'the server rejects an unknown address without a message [ERR-17]': () =>
      interceptResponses(({ status }) => status === 404 && jsonResponse(404, { detail: 'None' })),
    'a rejected project ends the session [ERR-24]': () => {
      const ended = new Set<string>();
      return async (request, next) => {
        if (isProjectOperation(request) && ended.has(sessionOf(request)))
          return errorResponse(401, 'Please sign in.');
        const response = await next(request);
        if (response.status === 422) ended.add(sessionOf(request));
        return response;
      };
    },
    'a rejected registration occupies its email [ERR-24]': () => {
      const emails = new Set<string>();
      return async (request, next) => {
        if (!isOperation(request, 'registerUser')) return next(request);
        if (emails.has(emailOf(request)) && String(jsonObjectOf(request)['password']).length > 7)
          return errorResponse(409, 'An account with this email already exists.');
        const response = await next(request);
        if (response.status === 422) emails.add(emailOf(request));
        return response;
      };
    },
    'the project after a rejected one is rejected [ERR-24]': () => {
      const rejected = new Map<string, ProxyResponse>();
      return async (request, next) => {
        if (!isOperation(request, 'createProject')) return next(request);
        const session = sessionOf(request);
        const before = rejected.get(session);
        if (rejected.delete(session)) return before!;
        const response = await next(request);
        if (response.status === 422) rejected.set(session, response);
        return response;
      };
    },
    'every second listProjects request fails [ERR-20]': () => {
      let count = 0;
      return causeInternalError(
        (request) => isOperation(request, 'listProjects') && ++count % 2 === 0,
      );
    },
    'the server redirects signed-out users to a page [REACH-3]': () => async (request, next) => {
      if (request.path === '/login') return htmlPage(200, 'Please sign in');
      const response = await next(request);
      return response.status === 401 && isProjectOperation(request)
        ? { status: 302, headers: { location: '/login' }, body: '' }
        : response;
    },
    'the server sends the HTML page of the app for every unknown address [REACH-4, ERR-17]': () =>
      interceptResponses(({ status }) => status === 404 && htmlPage(200, 'Tracker App')),
  },
];

function causeInternalError(matches: (request: ProxyRequest) => boolean) {
  return interceptRequests(
    (request) => matches(request) && errorResponse(500, 'Something went wrong.'),
  );
}
