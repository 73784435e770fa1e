// A backend for the Tracker App in plain node:http. It forgets everything when it stops; the rest is all the app needs.
// Run it: PORT=8080 node server.mjs
import { randomBytes, randomUUID, scrypt, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { promisify } from 'node:util';

const accounts = new Map(); // by email in lower case: { salt, hash, projects }
const sessions = new Map(); // by token: the account
const derive = promisify(scrypt);
const nobody = { salt: randomBytes(16), hash: randomBytes(32) };
const largest = 1024 * 1024;

function refuse(status, message) {
  throw Object.assign(new Error(message), { status });
}

const calls = {
  async 'POST /api/v1/users/register'(request) {
    const { email, password } = await textsOf(request, 'Email', 'Password');
    if (!/^\S+@\S+\.\S+$/.test(email)) refuse(422, 'Invalid email address.');
    if ([...password].length < 8) refuse(422, 'Password must be at least 8 characters.');
    const salt = randomBytes(16);
    const hash = await derive(password, salt, 32);
    const name = email.toLowerCase();
    if (accounts.has(name)) refuse(409, 'An account with this email already exists.');
    accounts.set(name, { salt, hash, projects: [] });
    return { status: 201, body: { role: 'member' } };
  },

  async 'POST /api/v1/auth/login'(request) {
    const { email, password } = await textsOf(request, 'Email', 'Password');
    const account = accounts.get(email.toLowerCase());
    // Somebody unknown costs as much time as a wrong password.
    const { salt, hash } = account ?? nobody;
    const isRight = timingSafeEqual(await derive(password, salt, 32), hash);
    if (!account || !isRight) refuse(401, 'The email or the password is not right.');
    const token = randomBytes(32).toString('base64url');
    sessions.delete(tokenOf(request));
    sessions.set(token, account);
    return { status: 200, body: {}, cookie: `session=${token}; Path=/; HttpOnly; SameSite=Lax` };
  },

  'GET /api/v1/projects': async (request) => ({ status: 200, body: accountOf(request).projects }),

  async 'POST /api/v1/projects'(request) {
    const { projects } = accountOf(request);
    const project = { id: randomUUID(), ...(await textsOf(request, 'Title', 'Description')) };
    projects.push(project);
    return { status: 201, body: project };
  },
};

const tokenOf = ({ headers }) => /(?:^|; )session=([^;]*)/.exec(headers.cookie ?? '')?.[1];
const accountOf = (request) =>
  sessions.get(tokenOf(request)) ?? refuse(401, 'Please sign in to work with projects.');

// Only JSON, which no form of another site can send: that, and SameSite, keep forged requests out.
async function textsOf(request, ...names) {
  let sent = Buffer.alloc(0);
  for await (const chunk of request)
    if (sent.length <= largest) sent = Buffer.concat([sent, chunk]);
  if (sent.length > largest) refuse(413, 'The request is too large. Please shorten the text.');
  const isJson = /^application\/json\b/.test(request.headers['content-type'] ?? '');
  if (!isJson) refuse(415, 'The request must be sent as JSON.');
  const body = parsed(sent.toString());
  for (const name of names) {
    const text = body?.[name.toLowerCase()];
    if (typeof text !== 'string' || text === '') refuse(422, `${name} is required.`);
  }
  return Object.fromEntries(names.map((name) => [name.toLowerCase(), body[name.toLowerCase()]]));
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return refuse(400, 'The request body is not valid JSON.');
  }
}

async function answerTo(request) {
  const [path] = request.url.split('?');
  const call = calls[`${request.method} ${path}`];
  if (call) return call(request);
  const isKnown = Object.keys(calls).some((name) => name.endsWith(` ${path}`));
  return isKnown
    ? refuse(405, 'This address cannot be used in this way.')
    : refuse(404, 'There is nothing at this address.');
}

const server = createServer(async (request, response) => {
  const { status, body, cookie } = await answerTo(request).catch((error) => {
    if (error.status) return { status: error.status, body: { message: error.message } };
    console.error(error);
    return {
      status: 500,
      body: { message: 'Something went wrong on our side. Please try again.' },
    };
  });
  if (cookie) response.setHeader('set-cookie', cookie);
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
});

server.listen(Number(process.env.PORT ?? 8080), '127.0.0.1', () => {
  console.log(`Ready at http://127.0.0.1:${server.address().port}`);
});
