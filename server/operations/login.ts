import type { Operation } from '../contract.ts';
import { Refusal } from '../errors.ts';
import type { Services } from '../services.ts';

/** Signs somebody in. A wrong password and an unknown email differ neither in the answer nor in the time it takes. */
export function login({ store, passwords, sessions }: Services): Operation<'login'> {
  return async ({ body, session }) => {
    const account = await store.findAccount(body.email.toLowerCase());
    const isRight = await passwords.verify(body.password, account?.passwordHash);
    if (!account || !isRight) throw new Refusal('wrongCredentials');
    return { status: 200, body: {}, session: await sessions.start(account.id, session) };
  };
}
