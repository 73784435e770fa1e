import { expect, test } from 'vitest';
import { createActor, fromPromise, type SnapshotFrom } from 'xstate';
import { authMachine, isAuthenticated, roleOf } from '../../../../machines/auth.ts';
import type { Credentials, Outcome, User } from '../../../../machines/types.ts';
import { deferredCalls } from '../../../support/deferred-calls.ts';

const ada: Credentials = { email: 'ada@example.org', password: 'correct horse' };
const login = { type: 'login', credentials: ada } as const;
const registerUser = { type: 'registerUser', credentials: ada } as const;

const refused = { ok: false, message: 'The email or the password is not right.' } as const;
const loggedIn = { ok: true, value: ada.email } as const;
const registered = { ok: true, value: { role: 'member' } } as const;

/** Returns the running machine with calls that the test ends. */
function auth() {
  const logins = deferredCalls<Outcome<string>, Credentials>();
  const registrations = deferredCalls<Outcome<User>, Credentials>();
  const actor = createActor(
    authMachine.provide({
      actors: { login: fromPromise(logins.start), registerUser: fromPromise(registrations.start) },
    }),
  );
  const emitted: string[] = [];
  actor.on('*', ({ type }) => emitted.push(type));
  actor.start();
  const now = () => stateAndContext(actor.getSnapshot());
  return { actor, logins, registrations, emitted, now };
}

function stateAndContext(snapshot: SnapshotFrom<typeof authMachine>) {
  return { state: snapshot.value, ...snapshot.context };
}

/** Returns the machine with a user and a message, both of which a transition may clear. */
async function withUserAndMessage() {
  const machine = auth();
  machine.actor.send(login);
  await machine.logins.end(refused);
  machine.actor.send(registerUser);
  await machine.registrations.end(registered);
  expect(machine.now()).toEqual({
    state: 'authenticated',
    user: { role: 'member' },
    loginErrorMessage: refused.message,
  });
  return machine;
}

test('starts unauthenticated, without a user or a message [AUTH-1, ENTITY-5]', () => {
  const { actor, now } = auth();
  expect(now()).toEqual({
    state: 'unauthenticated',
    user: undefined,
    loginErrorMessage: undefined,
  });
  expect(isAuthenticated(actor.getSnapshot())).toBe(false);
});

test('is not authenticated while a login is pending [AUTH-2, ENTITY-4]', async () => {
  const { actor, logins, now } = await withUserAndMessage();
  actor.send(login);
  expect(now().state).toBe('loggingIn');
  expect(isAuthenticated(actor.getSnapshot())).toBe(false);
  expect(logins.inputs.at(-1)).toEqual(ada);
});

test('keeps the old message while the next login is pending [CHOICE-1]', async () => {
  const { actor, now } = await withUserAndMessage();
  actor.send(login);
  expect(now().loginErrorMessage).toBe(refused.message);
});

test('a successful login authenticates and clears the message [AUTH-3]', async () => {
  const { actor, logins, emitted, now } = await withUserAndMessage();
  actor.send(login);
  await logins.end(loggedIn);
  expect(now()).toMatchObject({ state: 'authenticated', loginErrorMessage: undefined });
  expect(isAuthenticated(actor.getSnapshot())).toBe(true);
  expect(emitted).toEqual(['user.registered', 'user.loggedIn']);
});

test('a successful login emits the email that signed in [CHOICE-77]', async () => {
  const { actor, logins } = auth();
  const emitted: unknown[] = [];
  actor.on('user.loggedIn', (event) => emitted.push(event));
  actor.send(login);
  await logins.end(loggedIn);
  expect(emitted).toEqual([{ type: 'user.loggedIn', email: ada.email }]);
});

test('a successful login does not set the user [AUTH-4]', async () => {
  const { actor, logins, now } = auth();
  actor.send(login);
  await logins.end(loggedIn);
  expect(now()).toMatchObject({ state: 'authenticated', user: undefined });
});

test('a successful login keeps the user that the registration set [AUTH-4]', async () => {
  const { actor, logins, now } = await withUserAndMessage();
  actor.send(login);
  await logins.end(loggedIn);
  expect(now().user).toEqual({ role: 'member' });
});

test('a failed login clears the user and stores the message [AUTH-5]', async () => {
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

test('a login that throws clears the message and the user [ERROR-3, CHOICE-15]', async () => {
  const { actor, logins, now } = await withUserAndMessage();
  actor.send(login);
  await logins.fail(new SyntaxError('not JSON'));
  expect(now()).toEqual({
    state: 'unauthenticated',
    user: undefined,
    loginErrorMessage: undefined,
  });
});

test('is not authenticated while a registration is pending [AUTH-6]', async () => {
  const { actor, registrations, now } = await withUserAndMessage();
  actor.send(registerUser);
  expect(now().state).toBe('registering');
  expect(isAuthenticated(actor.getSnapshot())).toBe(false);
  expect(registrations.inputs).toEqual([ada, ada]);
});

test('a successful registration authenticates and sets the user [AUTH-7, ENTITY-3]', async () => {
  const { actor, registrations, now } = auth();
  actor.send(registerUser);
  await registrations.end(registered);
  expect(now()).toMatchObject({ state: 'authenticated', user: { role: 'member' } });
  expect(isAuthenticated(actor.getSnapshot())).toBe(true);
});

test('a successful registration emits one event [AUTH-8]', async () => {
  const { actor, registrations, emitted } = auth();
  actor.send(registerUser);
  expect(emitted).toEqual([]);
  await registrations.end(registered);
  expect(emitted).toEqual(['user.registered']);
});

test.each([
  ['is refused', (machine: ReturnType<typeof auth>) => machine.registrations.end(refused)],
  [
    'throws',
    (machine: ReturnType<typeof auth>) => machine.registrations.fail(new TypeError('a bug')),
  ],
])(
  'a registration that %s clears the user and stores no message [AUTH-9, AUTH-10, ERROR-4]',
  async (_, end) => {
    const machine = await withUserAndMessage();
    machine.actor.send(login);
    await machine.logins.end(loggedIn);
    machine.actor.send(registerUser);
    await end(machine);
    expect(machine.now()).toEqual({
      state: 'unauthenticated',
      user: undefined,
      loginErrorMessage: undefined,
    });
    expect(machine.emitted).toEqual(['user.registered', 'user.loggedIn']);
  },
);

test('a failed registration keeps the message of a failed login [AUTH-10]', async () => {
  const { actor, registrations, now } = await withUserAndMessage();
  actor.send(registerUser);
  await registrations.end({ ok: false, message: 'An account with this email already exists.' });
  expect(now().loginErrorMessage).toBe(refused.message);
});

test('ignores the same submit while its call is pending [CHOICE-7]', async () => {
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

test('a registration aborts a pending login, whose response is ignored [CHOICE-8]', async () => {
  const { actor, logins, registrations, emitted, now } = auth();
  actor.send(login);
  actor.send(registerUser);
  expect(logins.signals[0]?.aborted).toBe(true);
  await logins.end(loggedIn);
  expect(now().state).toBe('registering');
  await registrations.end(registered);
  expect(emitted).toEqual(['user.registered']);
});

test('a login aborts a pending registration, whose response is ignored [CHOICE-8]', async () => {
  const { actor, logins, registrations, emitted, now } = auth();
  actor.send(registerUser);
  actor.send(login);
  expect(registrations.signals[0]?.aborted).toBe(true);
  await registrations.end(registered);
  expect(now()).toMatchObject({ state: 'loggingIn', user: undefined });
  await logins.end(loggedIn);
  expect(emitted).toEqual(['user.loggedIn']);
});

test('one selector exposes the role, which may be any text [ROLE-1, CHOICE-10]', async () => {
  const { actor, registrations } = auth();
  expect(roleOf(actor.getSnapshot())).toBeUndefined();
  actor.send(registerUser);
  await registrations.end({ ok: true, value: { role: 'keeper' } });
  expect(roleOf(actor.getSnapshot())).toBe('keeper');
});

test('never stores a password', async () => {
  const { actor, logins } = auth();
  actor.send(login);
  const { context } = actor.getSnapshot();
  expect(JSON.stringify(context)).not.toContain(ada.password);
  await logins.end(refused);
  expect(JSON.stringify(actor.getPersistedSnapshot())).not.toContain(ada.password);
});

test('an actor that was not provided throws an error with its name', () => {
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
