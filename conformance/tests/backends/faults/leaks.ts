import { jsonResponse, type Change } from '../backend.ts';
import * as change from '../changes.ts';

const bcryptHash = `$2b$12$${'KIXQJ1t1c4G0Yd1r2o9hX'.repeat(3).slice(0, 53)}`;
const stackTrace =
  'Error: refused\n    at login (/srv/app/routes/auth.js:42:11)\n    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)';

/** Faults that expose secrets or internals of the backend. */
export const leakFaults: Record<string, Change> = {
  'LEAK-1: refusals contain a stack trace': change.refusals((response, message) =>
    change.withJson(response, { message: `${message} ${stackTrace}` }),
  ),
  'LEAK-3: refusals contain a stack trace of Java': change.refusals((response, message) =>
    change.withJson(response, {
      message,
      trace: 'Error\n\tat app.Projects.create(Projects.java:17)',
    }),
  ),
  'LEAK-3: refusals contain a stack trace of Erlang': change.refusals((response, message) =>
    change.withJson(response, {
      message,
      trace: '[{web,create,2,[{file,"src/web.erl"},{line,7}]}]',
    }),
  ),
  'LEAK-3: refusals contain a stack trace of PHP': change.refusals((response, message) =>
    change.withJson(response, { message, file: '/srv/app/Projects.php', line: 17 }),
  ),
  'LEAK-2: the registerUser response repeats the password': () => ({
    registered: ({ json }) => jsonResponse(201, { role: 'member', ...json }),
  }),
  'LEAK-2: the refusal of a short password repeats it': change.responsesTo(
    'registerUser',
    422,
    (_, { body }) =>
      /"password":".{7}"/.test(body) &&
      jsonResponse(422, { message: `Too short, please: ${body}` }),
  ),
  'LEAK-2: the registerUser response contains the password hash': () => ({
    registered: () => jsonResponse(201, { role: 'member', passwordHash: bcryptHash.slice(0, 29) }),
  }),
  'LEAK-2: the registerUser response contains the hash as the text of its bytes': () => ({
    registered: () => jsonResponse(201, { userPassword: '"\\190\\DEL\\130x"' }),
  }),
  'LEAK-2: the registerUser response contains the cost, the salt and the hash': () => ({
    registered: () => jsonResponse(201, { hash: `1000$${'1a2b'.repeat(8)}$${'3c4d'.repeat(16)}` }),
  }),
  'LEAK-2: the registerUser response contains the salt': () => ({
    registered: () => jsonResponse(201, { role: 'member', salt: '4z1/Qk0yWm8=', hash: 'Zm9v' }),
  }),
  'LEAK-2: the login response contains a bcrypt hash': () => ({
    loggedIn: () => jsonResponse(200, { user: `ada:${bcryptHash}` }),
  }),
  'LEAK-4: a response has the cookies of the response before on its connection': () => {
    const lines = new Map<number, string[]>();
    return change.responses((response, { connection }) => {
      const own = response.headers['set-cookie'] as string[] | undefined;
      if (own) lines.set(connection, own);
      return change.withSetCookies(response, own ?? lines.get(connection) ?? []);
    });
  },
  'LEAK-3: the refusal of a long title is that of the database': change.responsesTo(
    'createProject',
    422,
    (response, { body }) =>
      body.length > 10_000 && change.withJson(response, { message: 'CHECK constraint failed: t' }),
  ),
  'LEAK-5: the refusal of a sign-in names the emails that were refused before': () => {
    const refused: unknown[] = [];
    return change.after('refuseLogin', (response, _account, { json }) => {
      refused.push(json['email']);
      return change.withJson(response, { message: `No account has ${refused.join(', ')}.` });
    });
  },
  'LEAK-3: error messages contain the path of a file': change.refusals((response) =>
    change.withJson(response, { message: 'Refused by /srv/app/routes/projects.js.' }),
  ),
};
