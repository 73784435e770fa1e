import { parseJson } from '../../../../conformance/http/response.ts';
import {
  changeErrorResponses,
  changeExistingEmailResponse,
  createFaults,
  emailOf,
  errorResponse,
  htmlPage,
  interceptRequests,
  interceptResponses,
  isOperation,
  isProjectOperation,
  jsonObjectOf,
  jsonResponse,
  withBody,
  withHeaders,
  withJson,
  type FaultTable,
} from '../fault-builders.ts';
import { closedConnection, type ProxyRequest } from '../fault-proxy.ts';

const contentTypeOf = ({ headers }: ProxyRequest) => String(headers['content-type']);

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
  }),
  createFaults(interceptRequests, {
    'the server rejects a form in place of JSON with an HTML page [ERR-15]': (request) =>
      contentTypeOf(request).includes('form') && htmlPage(415, 'Unsupported Media Type'),
    'the server closes the connection on a large body [ERR-16]': ({ body }) =>
      body.length > 1_500_000 && closedConnection,
    'the server answers an unsupported method with 200 [ERR-18]': ({ method, path }) =>
      method === 'GET' && path.endsWith('login') && jsonResponse(200, {}),
    'an emoji in a project causes a 500 with an HTML page [ERR-20, TEXT-2]': (request) =>
      isOperation(request, 'createProject') &&
      /\p{Extended_Pictographic}/u.test(request.body) &&
      htmlPage(500, 'Internal Server Error'),
  }),
  {
    'the server rejects an existing email without a message [ERR-5]': () =>
      changeExistingEmailResponse((response) => withJson(response, { code: 'EMAIL_TAKEN' })),
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
