import type { Operation } from '../http/contract.ts';
import { Refusal } from '../refusal.ts';
import type { Services } from '../services.ts';

/**
 * Signs somebody in. A wrong password and an unknown email differ neither in the answer nor in the time it takes, nor in how
 * many are let through.
 */
export function login({ store, passwords, sessions, throttle }: Services): Operation<'login'> {
  return async ({ body: { email, password }, session, address }) => {
    passwords.refuseWhenBusy();
    const account = await store.findAccount(email.toLowerCase());
    const isOwner = account !== undefined && session?.accountId === account.id;
    const signIn = { email, address, isOwner };
    await throttle.countSignIn(signIn);
    const isRight = await passwords.verify(password, account?.passwordHash);
    if (!account || !isRight) throw new Refusal('wrongCredentials');

    await throttle.forgive(signIn);
    if (passwords.isOutdated(account.passwordHash)) {
      await store.replacePasswordHash(account.id, await passwords.hash(password));
    }
    return { status: 200, body: {}, session: await sessions.start(account.id, session) };
  };
}
