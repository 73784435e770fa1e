/** What no path through the app can show. */
import { expect, test } from 'vitest';
import { createActor, fromPromise, waitFor } from 'xstate';
import { authMachine, type Registration } from '../../../machines/auth.ts';
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

test.each(['login', 'registerUser'] as const)('never stores a password of a %s', async (type) => {
  const auth = startAuth();
  auth.send({ type, credentials });
  const { context, children } = auth.getSnapshot();
  expect(Object.keys(children)).toEqual([type]);
  expect(JSON.stringify(context)).not.toContain(credentials.password);
  await waitFor(auth, (snapshot) => Object.keys(snapshot.children).length === 0);
  expect(JSON.stringify(auth.getPersistedSnapshot())).not.toContain(credentials.password);
});
