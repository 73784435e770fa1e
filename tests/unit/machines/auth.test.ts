/** What no path through the app can show. */
import { expect, test } from 'vitest';
import { createActor, fromPromise, waitFor } from 'xstate';
import { authMachine, isAuthenticated, roleOf, type Registration } from '../../../machines/auth.ts';
import type { Credentials, Outcome } from '../../../machines/types.ts';
import { credentialsOf } from '../../../testing/credentials.ts';

const credentials = credentialsOf();

/** Returns the running machine. Its backend refuses a login and accepts a registration. */
function startAuth() {
  const machine = authMachine.provide({
    actors: {
      login: fromPromise<Outcome<string>, Credentials>(async () => {
        return { ok: false, message: 'Wrong.' };
      }),
      registerUser: fromPromise<Outcome<Registration>, Credentials>(async () => {
        return { ok: true, value: { user: { role: 'keeper' }, email: credentials.email } };
      }),
    },
  });
  return createActor(machine).start();
}

test('one selector exposes the role, which may be any text [ROLE-1, CHOICE-10]', async () => {
  const auth = startAuth();
  expect(roleOf(auth.getSnapshot())).toBeUndefined();
  auth.send({ type: 'registerUser', credentials });
  expect(roleOf(await waitFor(auth, isAuthenticated))).toBe('keeper');
});

test.each(['login', 'registerUser'] as const)('never stores a password of a %s', async (type) => {
  const auth = startAuth();
  auth.send({ type, credentials });
  const { context, children } = auth.getSnapshot();
  expect(Object.keys(children)).toEqual([type]);
  expect(JSON.stringify(context)).not.toContain(credentials.password);
  await waitFor(auth, (snapshot) => Object.keys(snapshot.children).length === 0);
  expect(JSON.stringify(auth.getPersistedSnapshot())).not.toContain(credentials.password);
});

test('an actor that was not provided throws an error with its name', () => {
  const errors: unknown[] = [];
  const auth = createActor(authMachine, {
    inspect: ({ type, event }: { type: string; event?: object }) => {
      if (type === '@xstate.event' && event && 'error' in event) errors.push(event.error);
    },
  });
  auth.start();
  auth.send({ type: 'login', credentials });
  expect(String(errors[0])).toContain('The actor "login" is not provided');
});
