import { hash, randomBytes } from 'node:crypto';
import type { ListVersion, Store } from '../store/store.ts';

/** Seconds from login to the end of a session. */
export const sessionLifetimeSeconds = 30 * 24 * 60 * 60;

/** Somebody who is signed in. The token is theirs alone: it goes into their cookie and nowhere else. */
export interface Session {
  token: string;
  accountId: string;
  /** How their list of projects stood when a call that only reads was let in. */
  projects?: ListVersion;
}

export interface Sessions {
  /** Starts a session for an account, and ends the one it replaces. */
  start(accountId: string, replaced: Session | undefined): Promise<Session>;
  /** The session of a token, unless it has ended or never was. */
  find(token: string): Promise<Session | undefined>;
  /** The same for a call that only reads; the store tells the state of the list in the same breath. */
  findWithListVersion(token: string): Promise<Session | undefined>;
}

/** Sessions in the store. `now` gives milliseconds since 1970. */
export function createSessions(store: Store, now: () => number): Sessions {
  return {
    async start(accountId, replaced) {
      const token = randomBytes(32).toString('base64url');
      await store.deleteEndedSessions(now());
      if (replaced) await store.deleteSession(hashOf(replaced.token));
      const expiresAt = now() + sessionLifetimeSeconds * 1000;
      await store.createSession({ tokenHash: hashOf(token), accountId, expiresAt });
      return { token, accountId };
    },

    async find(token) {
      const kept = await store.findSession(hashOf(token), now());
      return kept && { token, accountId: kept.accountId };
    },

    async findWithListVersion(token) {
      const kept = await store.findWithListVersion(hashOf(token), now());
      if (!kept) return undefined;
      const { accountId, ...projects } = kept;
      return { token, accountId, projects };
    },
  };
}

// The store holds only this: whoever reads a backup cannot sign in with what they find. The token is random, so a fast hash is enough.
function hashOf(token: string): string {
  return hash('sha256', token);
}
