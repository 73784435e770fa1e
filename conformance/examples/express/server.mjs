// A backend for the Tracker App with Express 5 and express-session. It keeps its data in memory.
//
// Start it, in a folder with this file:
//   npm install express@5 express-session
//   PORT=8080 node server.mjs
// On Debian, install Node.js 20 or newer from nodejs.org first.
//
// For production, it lacks: a database, a session store that outlives a restart, a limit of sign-in
// attempts, and on https `secure: true` for both cookies with `app.set('trust proxy', 1)`.
import { randomBytes, randomUUID, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import express from 'express';
import session from 'express-session';

const accounts = new Map(); // lower-case email -> { email, salt, hash, projects }
const deriveKey = promisify(scrypt);
const dummyAccount = { salt: randomBytes(16), hash: randomBytes(32) };

const app = express();
app.use(express.json({ limit: '1mb' }));
app.use(
  session({
    name: 'session',
    secret: process.env.SESSION_SECRET ?? randomBytes(32).toString('hex'),
    resave: false,
    saveUninitialized: false,
    cookie: { sameSite: 'lax' },
  }),
);

app.post('/api/v1/users/register', readCredentials, async (request, response) => {
  const { key, email, password } = request.credentials;
  const salt = randomBytes(16);
  const hash = await deriveKey(password, salt, 32);
  // Checks and stores without an await between them: of two registrations at once, one is refused.
  if (accounts.has(key)) refuse(409, 'An account with this email already exists.');
  accounts.set(key, { email, salt, hash, projects: [] });
  response.status(201).json({ role: 'member' });
});

app.post('/api/v1/auth/login', readCredentials, async (request, response) => {
  const { key, password } = request.credentials;
  const account = accounts.get(key);
  // Hashes for an unknown email too, so that the time reveals no account.
  const { salt, hash } = account ?? dummyAccount;
  const isCorrect = timingSafeEqual(await deriveKey(password, salt, 32), hash);
  if (!account || !isCorrect) refuse(401, 'The email or the password is not right.');
  // A new session id, because another person may know the old one.
  await promisify(request.session.regenerate).call(request.session);
  Object.assign(request.session, { key, xsrfToken: randomBytes(16).toString('hex') });
  response.cookie('XSRF-TOKEN', request.session.xsrfToken, { sameSite: 'lax' }).json({});
});

app.get('/api/v1/projects', requireAccount, (request, response) => {
  response.json(request.account.projects);
});

app.post('/api/v1/projects', requireAccount, requireXsrfToken, (request, response) => {
  const title = readText(request, 'title');
  const description = readText(request, 'description');
  const project = { id: randomUUID(), title, description };
  request.account.projects.push(project);
  response.status(201).json(project);
});

app.use(() => refuse(404, 'There is nothing at this address.'));

// Without this handler, Express responds with an HTML page that contains a stack trace. It has four
// parameters, because Express recognizes error handlers by their number.
app.use((error, request, response, _next) => {
  const messages = {
    'entity.parse.failed': 'The request body is not valid JSON.',
    'entity.too.large': 'The request is too large. Please shorten the text.',
  };
  const status = error.status ?? 500;
  if (status >= 500) console.error(error);
  const message =
    error.userMessage ??
    messages[error.type] ??
    (status >= 500 ? 'Something went wrong on our side.' : 'The request could not be understood.');
  response.status(status).json({ message });
});

function refuse(status, userMessage) {
  throw Object.assign(new Error(userMessage), { status, userMessage });
}

/** Returns a field of the body. Only a check of its type keeps out numbers and objects. */
function readText(request, field) {
  const text = request.body?.[field];
  const label = field[0].toUpperCase() + field.slice(1);
  if (typeof text !== 'string' || text === '') refuse(422, `${label} is required.`);
  if (!text.isWellFormed() || (field !== 'password' && text.includes('\0'))) {
    refuse(422, `${label} contains a character that cannot be stored.`);
  }
  return text;
}

function readCredentials(request, response, next) {
  const email = readText(request, 'email');
  const password = readText(request, 'password');
  if (!/^\S+@\S+\.\S+$/.test(email)) refuse(422, 'Invalid email address.');
  if ([...password].length < 8) refuse(422, 'Password must be at least 8 characters.');
  request.credentials = { key: email.toLowerCase(), email, password };
  next();
}

function requireAccount(request, response, next) {
  request.account = accounts.get(request.session.key);
  if (!request.account) refuse(401, 'Please sign in to work with projects.');
  next();
}

function requireXsrfToken(request, response, next) {
  if (request.get('X-XSRF-TOKEN') !== request.session.xsrfToken) {
    refuse(403, 'This request could not be verified. Please reload the page and try again.');
  }
  next();
}

const server = app.listen(Number(process.env.PORT ?? 8080), '127.0.0.1', (error) => {
  if (error) throw error;
  console.log(`Ready at http://127.0.0.1:${server.address().port}`);
});
