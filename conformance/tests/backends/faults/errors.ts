import { STATUS_CODES } from 'node:http';
import { maxLengthOf, minLengthOf, textNames } from '../../../http/project-texts.ts';
import { jsonResponse, withHeaders, type Change } from '../backend.ts';
import * as change from '../changes.ts';
import { closedConnection, type BackendRequest } from '../stub-server.ts';

const isObject = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const contentTypeOf = ({ headers }: BackendRequest) => String(headers['content-type']);

const messages = (messageOf: (message: string, status: number) => unknown): Change =>
  change.refusals((response, message) =>
    change.withJson(response, { message: messageOf(message, response.status) }),
  );

type Row = [id: string, name: string, ...refuse: Refusal];
type Refusal = [operation: Parameters<typeof change.refuse>[0], isRefused: IsRefused];
type IsRefused = Parameters<typeof change.refuse>[2];

const lastText = textNames.at(-1)!;
const tooShort = 'x'.repeat(minLengthOf(lastText) - 1);
const tooLong = 'x'.repeat(maxLengthOf(lastText) + 1);

const isNumber = (value: unknown) => typeof value === 'number';
const lacks =
  (name: string): IsRefused =>
  (json, { body }) =>
    body.startsWith('{') && !(name in json);

/** Requests that cause a 500. */
const fatalRequests: Row[] = [
  ['ERR-6', 'an invalid email', 'registerUser', ({ email }) => !String(email).includes('@')],
  ['ERR-7', 'a short password', 'registerUser', ({ password }) => String(password).length === 7],
  ['ERR-26', 'a registration without an email', 'registerUser', (json) => !('email' in json)],
  ['ERR-47', 'a registration without a password', 'registerUser', (json) => !('password' in json)],
  ['ERR-49', 'a number as a new email', 'registerUser', ({ email }) => isNumber(email)],
  ['ERR-41', 'a number as a new password', 'registerUser', ({ password }) => isNumber(password)],
  ['ERR-42', 'an object as a new password', 'registerUser', ({ password }) => isObject(password)],
  ['ERR-9', 'a sign-in without a password', 'login', lacks('password')],
  ['ERR-25', 'an email that is a number', 'login', ({ email }) => isNumber(email)],
  ['ERR-38', 'an email that is an array', 'login', ({ email }) => Array.isArray(email)],
  ['ERR-39', 'an email that is an object', 'login', ({ email }) => isObject(email)],
  ['ERR-40', 'a fragment of SQL in an email', 'login', ({ email }) => /' or/i.test(String(email))],
  ['ERR-36', 'a password that is a number', 'login', ({ password }) => isNumber(password)],
  ['ERR-37', 'a password that is an object', 'login', ({ password }) => isObject(password)],
  ['ERR-43', 'a password that is true', 'login', ({ password }) => password === true],
  ['ERR-44', 'a password that is null', 'login', ({ password }) => password === null],
  ['ERR-45', 'a password that is an array', 'login', ({ password }) => Array.isArray(password)],
  ['ERR-14', 'an array in place of credentials', 'login', (_, { body }) => body === '[]'],
  ['ERR-13', 'malformed JSON', 'login', (_, { body }) => /^\{.*[^}]$/.test(body)],
  ['ERR-27', 'the JSON body null', 'login', (_, { body }) => body === 'null'],
  ['ERR-28', 'an empty body', 'login', (_, { body }) => body === ''],
  ['ERR-29', 'deeply nested JSON', 'login', (_, { body }) => body.startsWith('[[')],
  ['ERR-10', 'a project without its last text', 'createProject', lacks(lastText)],
  ['ERR-12', 'a number as a text', 'createProject', (json) => json[lastText] === 42],
  ['ERR-48', 'an array as a text', 'createProject', (json) => Array.isArray(json[lastText])],
  ['ERR-35', 'null as a text', 'createProject', (json) => json[lastText] === null],
  ['ERR-50', 'a text that is too short', 'createProject', (json) => json[lastText] === tooShort],
  ['ERR-51', 'a text that is too long', 'createProject', (json) => json[lastText] === tooLong],
  ['ERR-46', 'an array as project', 'createProject', (_, { body }) => body === '[]'],
  ['ERR-30', 'no UTF-8', 'createProject', (_, { body }) => body.includes('\uFFFD')],
  ['ERR-31', 'a byte order mark', 'createProject', (_, { body }) => body.startsWith('\uFEFF')],
  ['ERR-32', 'an unknown field', 'createProject', (json) => 'colour' in json],
  ['TEXT-7', 'a name in code', 'createProject', (json) => String(json[lastText]) in {}],
  ['TEXT-8', 'a percent sign', 'createProject', (_, { body }) => body.includes('%')],
  ['TEXT-14', 'a NUL', 'createProject', (_, { body }) => body.includes(String.raw`\u0000`)],
  [
    'COOKIE-7',
    'a cookie without a token',
    'listProjects',
    (_, request) => /[^\da-f]/.test(change.sessionOf(request)),
  ],
];

export const fatalFaults: Record<string, Change> = Object.fromEntries(
  fatalRequests.map(([id, name, operation, isFatal]) => [
    `${id}: ${name} causes a 500`,
    change.refuse(operation, 500, isFatal),
  ]),
);

export const errorFaults: Record<string, Change> = {
  'ERR-1: error messages are in "detail"': change.refusals((response, message) =>
    change.withJson(response, { detail: message }),
  ),
  'ERR-1: error messages are empty': messages(() => ''),
  'ERR-1: error messages are arrays': messages((message) => [message]),
  'ERR-2: an unknown email is refused without a message': change.after(
    'refuseLogin',
    (_refusal, account) => !account && jsonResponse(401, { error: 'unknown' }),
  ),
  'ERR-3: createProject returns 201 to a signed-out user and stores nothing': change.responsesTo(
    'createProject',
    401,
    (_response, request) => change.lostProject(change.jsonOf(request)),
  ),
  'ERR-3: createProject returns 200 and an error to a signed-out user': change.responsesTo(
    'createProject',
    401,
    () => jsonResponse(200, { error: 'not signed in' }),
  ),
  'ERR-6: refused input gets 200 and an error in the body': change.refusals((response, message) =>
    response.status === 422 ? jsonResponse(200, { error: message }) : response,
  ),
  'ERR-38: an array of one text is taken for the text': change.requestsTo('login', (request) => {
    const { email, password } = change.jsonOf(request);
    return change.withJson(request, { email: [email].flat()[0], password: [password].flat()[0] });
  }),
  'ERR-21: an object in place of a password signs in': ({ accounts, login }) => ({
    login(call) {
      const account = accounts.get(change.emailOf(call.request));
      return login(isObject(call.json['password']) && account ? { ...call, json: account } : call);
    },
  }),
  'ERR-21: objects in place of the email and the password sign in': ({ accounts, login }) => ({
    login(call) {
      const [account] = accounts.values();
      const areObjects = isObject(call.json['email']) && isObject(call.json['password']);
      return login(areObjects && account ? { ...call, json: account } : call);
    },
  }),
  'ERR-22: error messages are codes': messages((_message, status) => `error.api.${status}`),
  'ERR-22: error messages are templates that nothing fills in': messages(
    () => 'The field {field} is required.',
  ),
  'ERR-22: error messages are the words of the status': messages(
    (_message, status) => STATUS_CODES[status],
  ),
  'ERR-22: error messages are missing translations': messages(
    (_message, status) => `Translation missing: en.api.errors.e${status}`,
  ),
  'ERR-22: only the first part of a body is read': change.requestsTo(
    'createProject',
    ({ body }) => body.length > 8000 && change.error(400, 'The body is not valid JSON.'),
  ),
  'ERR-22: error messages contain markup': messages((message) => `<p class="error">${message}</p>`),
  "ERR-23: a 401 opens the browser's own sign-in dialog": change.refusals((response) =>
    withHeaders(response, { 'www-authenticate': 'Basic realm="tracker"' }),
  ),
  'ERR-15: a form in place of JSON is refused with an HTML page': change.requests(
    (request) =>
      contentTypeOf(request).includes('form') && change.htmlPage(415, 'Unsupported Media Type'),
  ),
  'ERR-4: a blank text is refused without a message': change.requestsTo(
    'createProject',
    (request) =>
      change.jsonOf(request)[lastText] === '   ' && jsonResponse(422, { errors: [lastText] }),
  ),
  'ERR-19: a missing XSRF token is refused with an HTML page': change.responsesTo(
    'createProject',
    403,
    () => change.htmlPage(403, 'Forbidden'),
  ),
  'ERR-16: a large body closes the connection': change.requests(
    ({ body }) => body.length > 1_500_000 && closedConnection,
  ),
  'ERR-18: an unsupported method gets 200': change.requests(
    ({ method, path }) => method === 'GET' && path.endsWith('login') && jsonResponse(200, {}),
  ),
  'ERR-20: sign-ins fail from the twentieth on': () => {
    let count = 0;
    return change.refuse('login', 500, () => ++count >= 20);
  },
  'ERR-5: the registration of an existing email causes a 500': change.responsesTo(
    'registerUser',
    409,
    () => change.error(500),
  ),
  'ERR-5: an existing email is refused without a message': change.responsesTo(
    'registerUser',
    409,
    () => jsonResponse(409, { code: 'EMAIL_TAKEN' }),
  ),
  'ERR-10: a project without a text gets 200 and an error': change.responsesTo(
    'createProject',
    422,
    (_response, request) =>
      !(lastText in change.jsonOf(request)) && jsonResponse(200, { error: true }),
  ),
  'ERR-17: an unknown address is refused without a message': change.unknownRequests(
    jsonResponse(404, { detail: 'None' }),
  ),
  'ERR-24: each list fails after a project that is not UTF-8': ({ sessions }) => {
    const broken = new Set<unknown>();
    return change.requests((request) => {
      const account = sessions.get(change.sessionOf(request));
      const isBad = request.body.includes('\uFFFD');
      if (isBad) broken.add(account);
      return broken.has(account) && (isBad || request.method === 'GET') && change.error(500);
    });
  },
  'ERR-24: a refused project ends the session': ({ sessions }) =>
    change.after('createProject', ({ status }, { session }) => {
      if (status === 422) sessions.delete(session);
    }),
};
