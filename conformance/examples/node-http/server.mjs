// A backend for the Tracker App with node:http only. It keeps its data in memory.
// Start it with: PORT=8080 node server.mjs
import { randomBytes, randomUUID, scrypt, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { promisify } from 'node:util';

const accounts = new Map(); // lower-case email -> { salt, hash, projects }
const sessions = new Map(); // token -> account
const deriveKey = promisify(scrypt);
const dummyAccount = { salt: randomBytes(16), hash: randomBytes(32) };
const maxBodyBytes = 1024 * 1024;

function refuse(status, message) {
  throw Object.assign(new Error(message), { status });
}

const operations = {
  async 'POST /api/v1/users/register'(request) {
    const { email, password } = await readFields(request, 'Email', 'Password');
    if (!/^\S+@\S+$/.test(email)) refuse(422, 'Invalid email address.');
    if ([...password].length < 8) refuse(422, 'Password must be at least 8 characters.');
    const salt = randomBytes(16);
    const hash = await deriveKey(password, salt, 32);
    const key = email.toLowerCase();
    if (accounts.has(key)) refuse(409, 'An account with this email already exists.');
    accounts.set(key, { salt, hash, projects: [] });
    return { status: 201, body: { role: 'member' } };
  },

  async 'POST /api/v1/auth/login'(request) {
    const { email, password } = await readFields(request, 'Email', 'Password');
    const account = accounts.get(email.toLowerCase());
    // An unknown email takes as long as a wrong password, so that the time reveals nothing.
    const { salt, hash } = account ?? dummyAccount;
    const isCorrect = timingSafeEqual(await deriveKey(password, salt, 32), hash);
    if (!account || !isCorrect) refuse(401, 'The email or the password is not right.');
    const token = randomBytes(32).toString('base64url');
    sessions.delete(sessionToken(request));
    sessions.set(token, account);
    return { status: 200, body: {}, cookie: `session=${token}; Path=/; HttpOnly; SameSite=Lax` };
  },

  'GET /api/v1/projects': async (request) => ({ status: 200, body: accountOf(request).projects }),

  async 'POST /api/v1/projects'(request) {
    const { projects } = accountOf(request);
    const project = { id: randomUUID(), ...(await readFields(request, 'Title', 'Description')) };
    projects.push(project);
    return { status: 201, body: project };
  },
};

const sessionToken = ({ headers }) => /(?:^|; )session=([^;]*)/.exec(headers.cookie ?? '')?.[1];
const accountOf = (request) =>
  sessions.get(sessionToken(request)) ?? refuse(401, 'Please sign in to work with projects.');

// Accepts JSON only, which a form of another site cannot send. With SameSite, that prevents CSRF.
async function readFields(request, ...labels) {
  let bytes = Buffer.alloc(0);
  for await (const chunk of request)
    if (bytes.length <= maxBodyBytes) bytes = Buffer.concat([bytes, chunk]);
  if (bytes.length > maxBodyBytes)
    refuse(413, 'The request is too large. Please shorten the text.');
  const isJson = /^application\/json\b/i.test(request.headers['content-type'] ?? '');
  if (!isJson) refuse(415, 'The request must be sent as JSON.');
  const body = parseJson(bytes.toString());
  const fields = labels.map((label) => {
    const value = body?.[label.toLowerCase()];
    if (typeof value !== 'string' || value === '') refuse(422, `${label} is required.`);
    if (/[\0\p{Surrogate}]/u.test(value))
      refuse(422, `${label} has a character that cannot be stored.`);
    return [label.toLowerCase(), value];
  });
  return Object.fromEntries(fields);
}

function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return refuse(400, 'The request body is not valid JSON.');
  }
}

async function handle(request) {
  const [path] = request.url.split('?');
  const operation = operations[`${request.method} ${path}`];
  if (operation) return operation(request);
  const isKnownPath = Object.keys(operations).some((name) => name.endsWith(` ${path}`));
  return isKnownPath
    ? refuse(405, 'This address does not support this method.')
    : refuse(404, 'There is nothing at this address.');
}

const server = createServer(async (request, response) => {
  const { status, body, cookie } = await handle(request).catch((error) => {
    if (error.status) return { status: error.status, body: { message: error.message } };
    console.error(error);
    const message = 'Something went wrong on our side. Please try again.';
    return { status: 500, body: { message } };
  });
  if (cookie) response.setHeader('set-cookie', cookie);
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
});

server.listen(Number(process.env.PORT ?? 8080), '127.0.0.1', () => {
  console.log(`Ready at http://127.0.0.1:${server.address().port}`);
});
