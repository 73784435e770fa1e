import { requireEmail } from '../auth/emails.ts';
import { networkOf } from '../auth/throttle.ts';
import { Refusal } from '../auth/refusal.ts';
import { sessionCookies } from '../http/guard.ts';
import type { Operation } from '../http/contract.ts';
import type { SecurityEvents } from '../http/security-log.ts';
import type { Dependencies } from '../dependencies.ts';

export const securityEvents: SecurityEvents = { success: 'signedIn', refusal: 'signInRefused' };

/**
 * Signs a user in. A wrong password and an unknown email have the same response, duration and
 * throttling.
 */
export function login({ store, passwords, sessions, throttle }: Dependencies): Operation<'login'> {
  return async ({ body, session, ip, hasLeft, identify }) => {
    const { password } = body;
    const email = requireEmail(body.email);
    const network = networkOf(ip);
    const account = await store.findAccount(email, network);
    if (account) identify(account.id);
    const isOwner = account !== undefined && session?.accountId === account.id;
    const attempt = { ip, hasLeft, signIn: { email, isOwner, isKnown: account?.isKnown } };
    const isRight = await throttle.run(attempt, async () => {
      const verdict = await passwords.verify(password, account?.passwordHash);
      if (account && verdict === 'outdated') {
        const newHash = await passwords.hash(password);
        await store.replacePasswordHash(account.id, account.passwordHash, newHash);
      }
      return verdict !== 'wrong';
    });
    if (!account || !isRight) throw new Refusal('wrongCredentials');

    await throttle.reset(attempt);
    await store.rememberNetwork(account.id, network);
    if (session) await sessions.end(session);
    const setCookies = sessionCookies(await sessions.start(account.id));
    return { status: 200, body: {}, setCookies, endedSession: session };
  };
}
