import { Refusal } from '../refusal.ts';
import { sessionCookies } from '../http/guard.ts';
import type { Operation } from '../http/contract.ts';
import type { Services } from '../services.ts';

/**
 * Signs a user in. A wrong password and an unknown email have the same response, duration and
 * throttling.
 */
export function login({ store, passwords, sessions, throttle }: Services): Operation<'login'> {
  return async ({ body: { email, password }, session, ip }) => {
    passwords.assertNotBusy();
    const account = await store.findAccount(email.toLowerCase());
    const isOwner = account !== undefined && session?.accountId === account.id;
    const signIn = { email, ip, isOwner };
    await throttle.countSignIn(signIn);
    const isRight = await passwords.verify(password, account?.passwordHash);
    if (!account || !isRight) throw new Refusal('wrongCredentials');

    await throttle.reset(signIn);
    if (passwords.isOutdated(account.passwordHash)) {
      await store.replacePasswordHash(account.id, await passwords.hash(password));
    }
    if (session) await sessions.end(session);
    return { status: 200, body: {}, setCookies: sessionCookies(await sessions.start(account.id)) };
  };
}
