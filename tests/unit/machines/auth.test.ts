import { expect, test } from 'vitest';
import { createActor, fromPromise, type SnapshotFrom } from 'xstate';
import { authMachine, isAuthenticated, role } from '../../../machines/auth.ts';
import type { Credentials, Outcome, User } from '../../../machines/types.ts';
import { deferredCalls } from '../../support/deferred-calls.ts';

const ada: Credentials = { email: 'ada@example.org', password: 'correct horse' };
const login = { type: 'login', credentials: ada } as const;
const registerUser = { type: 'registerUser', credentials: ada } as const;

const refused = { ok: false, message: 'The email or the password is not right.' } as const;
const loggedIn = { ok: true, value: undefined } as const;
const registered = { ok: true, value: { role: 'member' } } as const;

/** The machine with calls that end when the test says so. */
function auth() {
  const logins = deferredCalls<Outcome<void>, Credentials>();
  const registrations = deferredCalls<Outcome<User>, Credentials>();
  const actor = createActor(
    authMachine.provide({
      actors: { login: fromPromise(logins.start), registerUser: fromPromise(registrations.start) },
    }),
  );
  const emitted: string[] = [];
  actor.on('*', ({ type }) => emitted.push(type));
  actor.start();
  const now = () => seen(actor.getSnapshot());
  return { actor, logins, registrations, emitted, now };
}

function seen(snapshot: SnapshotFrom<typeof authMachine>) {
  return { state: snapshot.value, ...snapshot.context };
}

/** A person who registered, tried to sign in, and was refused: there is a user to lose and a message to lose. */
async function withUserAndMessage() {
  const it = auth();
  it.actor.send(login);
  await it.logins.end(refused);
  it.actor.send(registerUser);
  await it.registrations.end(registered);
  expect(it.now()).toEqual({
    state: 'authenticated',
    user: { role: 'member' },
    loginErrorMessage: refused.message,
  });
  return it;
}

test('[AUTH-1, ENTITY-5] at first nobody is authenticated, and there is no user and no message', () => {
  const { actor, now } = auth();
  expect(now()).toEqual({
    state: 'unauthenticated',
    user: undefined,
    loginErrorMessage: undefined,
  });
  expect(isAuthenticated(actor.getSnapshot())).toBe(false);
});

test('[AUTH-2, ENTITY-4] while signing in is pending, nobody is authenticated', async () => {
  const { actor, logins, now } = await withUserAndMessage();
  actor.send(login);
  expect(now().state).toBe('loggingIn');
  expect(isAuthenticated(actor.getSnapshot())).toBe(false);
  expect(logins.inputs.at(-1)).toEqual(ada);
});

test('[CHOICE-1] the old message stays while signing in is pending again', async () => {
  const { actor, now } = await withUserAndMessage();
  actor.send(login);
  expect(now().loginErrorMessage).toBe(refused.message);
});

test('[AUTH-3] a successful sign-in authenticates and clears the message', async () => {
  const { actor, logins, emitted, now } = await withUserAndMessage();
  actor.send(login);
  await logins.end(loggedIn);
  expect(now()).toMatchObject({ state: 'authenticated', loginErrorMessage: undefined });
  expect(isAuthenticated(actor.getSnapshot())).toBe(true);
  expect(emitted).toEqual(['user.registered', 'user.loggedIn']);
});

test('[AUTH-4] a successful sign-in does not set the user', async () => {
  const { actor, logins, now } = auth();
  actor.send(login);
  await logins.end(loggedIn);
  expect(now()).toMatchObject({ state: 'authenticated', user: undefined });
});

test('[AUTH-4] a successful sign-in leaves the user that registration set', async () => {
  const { actor, logins, now } = await withUserAndMessage();
  actor.send(login);
  await logins.end(loggedIn);
  expect(now().user).toEqual({ role: 'member' });
});

test('[AUTH-5] a failed sign-in clears the user and stores the message', async () => {
  const { actor, logins, emitted, now } = await withUserAndMessage();
  actor.send(login);
  await logins.end({ ok: false, message: 'Too many attempts.' });
  expect(now()).toEqual({
    state: 'unauthenticated',
    user: undefined,
    loginErrorMessage: 'Too many attempts.',
  });
  expect(emitted).toEqual(['user.registered']);
});

test('[ERROR-3, CHOICE-15] a sign-in that throws gives no message, wipes the old one, and clears the user', async () => {
  const { actor, logins, now } = await withUserAndMessage();
  actor.send(login);
  await logins.fail(new SyntaxError('not JSON'));
  expect(now()).toEqual({
    state: 'unauthenticated',
    user: undefined,
    loginErrorMessage: undefined,
  });
});

test('[AUTH-6] while registering is pending, nobody is authenticated', async () => {
  const { actor, registrations, now } = await withUserAndMessage();
  actor.send(registerUser);
  expect(now().state).toBe('registering');
  expect(isAuthenticated(actor.getSnapshot())).toBe(false);
  expect(registrations.inputs).toEqual([ada, ada]);
});

test('[AUTH-7, ENTITY-3] a successful registration authenticates and sets the user', async () => {
  const { actor, registrations, now } = auth();
  actor.send(registerUser);
  await registrations.end(registered);
  expect(now()).toMatchObject({ state: 'authenticated', user: { role: 'member' } });
  expect(isAuthenticated(actor.getSnapshot())).toBe(true);
});

test('[AUTH-8] a successful registration is emitted, once', async () => {
  const { actor, registrations, emitted } = auth();
  actor.send(registerUser);
  expect(emitted).toEqual([]);
  await registrations.end(registered);
  expect(emitted).toEqual(['user.registered']);
});

test.each([
  ['is refused', (it: ReturnType<typeof auth>) => it.registrations.end(refused)],
  ['throws', (it: ReturnType<typeof auth>) => it.registrations.fail(new TypeError('a bug'))],
])(
  '[AUTH-9, AUTH-10, ERROR-4] a registration that %s clears the user and stores no message',
  async (_, end) => {
    const it = await withUserAndMessage();
    it.actor.send(login);
    await it.logins.end(loggedIn);
    it.actor.send(registerUser);
    await end(it);
    expect(it.now()).toEqual({
      state: 'unauthenticated',
      user: undefined,
      loginErrorMessage: undefined,
    });
    expect(it.emitted).toEqual(['user.registered', 'user.loggedIn']);
  },
);

test('[AUTH-10] a failed registration does not touch the message of a failed sign-in', async () => {
  const { actor, registrations, now } = await withUserAndMessage();
  actor.send(registerUser);
  await registrations.end({ ok: false, message: 'An account with this email already exists.' });
  expect(now().loginErrorMessage).toBe(refused.message);
});

test('[CHOICE-7] the same submit again changes nothing while it is pending', async () => {
  const { actor, logins, registrations, now } = auth();
  actor.send(login);
  actor.send({
    type: 'login',
    credentials: { email: 'bob@example.org', password: 'something else' },
  });
  expect(logins.inputs).toEqual([ada]);
  await logins.end(loggedIn);
  actor.send(registerUser);
  actor.send(registerUser);
  expect(registrations.inputs).toEqual([ada]);
  expect(now().state).toBe('registering');
});

test('[CHOICE-8] registering takes the place of a pending sign-in, which then counts for nothing', async () => {
  const { actor, logins, registrations, emitted, now } = auth();
  actor.send(login);
  actor.send(registerUser);
  expect(logins.signals[0]?.aborted).toBe(true);
  await logins.end(loggedIn);
  expect(now().state).toBe('registering');
  await registrations.end(registered);
  expect(emitted).toEqual(['user.registered']);
});

test('[CHOICE-8] signing in takes the place of a pending registration, which then counts for nothing', async () => {
  const { actor, logins, registrations, emitted, now } = auth();
  actor.send(registerUser);
  actor.send(login);
  expect(registrations.signals[0]?.aborted).toBe(true);
  await registrations.end(registered);
  expect(now()).toMatchObject({ state: 'loggingIn', user: undefined });
  await logins.end(loggedIn);
  expect(emitted).toEqual(['user.loggedIn']);
});

test('[ROLE-1, CHOICE-10] the role is whatever text the user came with, and one selector exposes it', async () => {
  const { actor, registrations } = auth();
  expect(role(actor.getSnapshot())).toBeUndefined();
  actor.send(registerUser);
  await registrations.end({ ok: true, value: { role: 'keeper of the keys' } });
  expect(role(actor.getSnapshot())).toBe('keeper of the keys');
});

test('a password never enters the state', async () => {
  const { actor, logins } = auth();
  actor.send(login);
  const { context } = actor.getSnapshot();
  expect(JSON.stringify(context)).not.toContain(ada.password);
  await logins.end(refused);
  expect(JSON.stringify(actor.getPersistedSnapshot())).not.toContain(ada.password);
});

test('an actor that nobody supplied throws, by name', () => {
  const errors: unknown[] = [];
  const actor = createActor(authMachine, {
    inspect: (inspection) => {
      if (inspection.type === '@xstate.event' && 'error' in inspection.event) {
        errors.push(inspection.event['error']);
      }
    },
  });
  actor.start();
  actor.send(login);
  expect(String(errors[0])).toContain('The actor "login" is not provided');
});
