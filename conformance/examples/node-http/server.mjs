// A backend for the Tracker App in plain node:http. It forgets everything when it stops; the rest is all the app needs.
// Run it: PORT=8080 node server.mjs
import { randomBytes, randomUUID, scrypt, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { promisify } from 'node:util';

const accounts = new Map(); // by email in lower case: { salt, hash, projects }
const sessions = new Map(); // by token: the account
const derive = promisify(scrypt);
const nobody = { salt: randomBytes(16), hash: randomBytes(32) };

class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

const calls = {
  'POST /api/v1/users/register': async (request) => {
    const { email, password } = await credentialsOf(request);
    if (!/^\S+@\S+\.\S+$/.test(email)) throw new Refusal(422, 'Invalid email address.');
    if (Array.from(password).length < 8)
      throw new Refusal(422, 'Password must be at least 8 characters.');
    const salt = randomBytes(16);
    const hash = await derive(password, salt, 32);
    if (accounts.has(email)) throw new Refusal(409, 'An account with this email already exists.');
    accounts.set(email, { salt, hash, projects: [] });
    return { status: 201, body: { role: 'member' } };
  },

  'POST /api/v1/auth/login': async (request) => {
    const { email, password } = await credentialsOf(request);
    // Somebody unknown costs as much time as a wrong password.
    const { salt, hash } = accounts.get(email) ?? nobody;
    const isRight = timingSafeEqual(await derive(password, salt, 32), hash);
    if (!accounts.has(email) || !isRight) {
      throw new Refusal(401, 'The email or the password is not right.');
    }
    const token = randomBytes(32).toString('base64url');
    sessions.delete(tokenOf(request));
    sessions.set(token, accounts.get(email));
    const cookie = `session=${token}; Path=/; HttpOnly; SameSite=Lax`;
    return { status: 200, body: {}, headers: { 'set-cookie': cookie } };
  },

  'GET /api/v1/projects': async (request) => ({ status: 200, body: accountOf(request).projects }),

  'POST /api/v1/projects': async (request) => {
    const { projects } = accountOf(request);
    const { title, description } = await bodyOf(request);
    if (typeof title !== 'string' || title === '') throw new Refusal(422, 'Title is required.');
    if (typeof description !== 'string' || description === '') {
      throw new Refusal(422, 'Description is required.');
    }
    const project = { id: randomUUID(), title, description };
    projects.push(project);
    return { status: 201, body: project };
  },
};

function tokenOf({ headers }) {
  return /(?:^|; )session=([^;]*)/.exec(headers.cookie ?? '')?.[1];
}

function accountOf(request) {
  const account = sessions.get(tokenOf(request));
  if (!account) throw new Refusal(401, 'Please sign in to work with projects.');
  return account;
}

async function credentialsOf(request) {
  const { email, password } = await bodyOf(request);
  if (typeof email !== 'string') throw new Refusal(422, 'Email is required.');
  if (typeof password !== 'string') throw new Refusal(422, 'Password is required.');
  return { email: email.toLowerCase(), password };
}

// Only JSON, which no form of another site can send: that, and SameSite, keep forged requests out.
async function bodyOf(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= 1024 * 1024) chunks.push(chunk);
  }
  if (size > 1024 * 1024)
    throw new Refusal(413, 'The request is too large. Please shorten the text.');
  if (!/^application\/json\b/.test(request.headers['content-type'] ?? '')) {
    throw new Refusal(415, 'The request must be sent as JSON.');
  }
  let body;
  try {
    body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new Refusal(400, 'The request body is not valid JSON.');
  }
  if (typeof body !== 'object' || body === null)
    throw new Refusal(422, 'The body must be an object.');
  return body;
}

async function answerTo(request) {
  const [path] = request.url.split('?');
  const call = calls[`${request.method} ${path}`];
  if (call) return call(request);
  const isKnown = Object.keys(calls).some((name) => name.endsWith(` ${path}`));
  if (isKnown) throw new Refusal(405, 'This address cannot be used in this way.');
  throw new Refusal(404, 'There is nothing at this address.');
}

const server = createServer(async (request, response) => {
  const { status, body, headers } = await answerTo(request).catch((error) => {
    if (error instanceof Refusal) return { status: error.status, body: { message: error.message } };
    console.error(error);
    return {
      status: 500,
      body: { message: 'Something went wrong on our side. Please try again.' },
    };
  });
  response.writeHead(status, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    ...headers,
  });
  response.end(JSON.stringify(body));
});

server.listen(Number(process.env.PORT ?? 8080), '127.0.0.1', () => {
  console.log(`Ready at http://127.0.0.1:${server.address().port}`);
});
