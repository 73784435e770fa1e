import { hash, randomBytes } from 'node:crypto';
import type { ListVersion, Store } from '../store/store.ts';

export const sessionLifetimeSeconds = 30 * 24 * 60 * 60;

export interface Session {
  /** Sent only as the user's cookie. The store has its hash. */
  token: string;
  accountId: string;
  listVersion: ListVersion;
}

export interface Sessions {
  /** Returns the token. */
  start(accountId: string): Promise<string>;
  end(session: Session): Promise<void>;
  /** Returns undefined if the session has expired or does not exist. */
  find(token: string): Promise<Session | undefined>;
}

export function createSessions(store: Store): Sessions {
  return {
    async start(accountId) {
      const token = randomBytes(32).toString('base64url');
      const session = { tokenHash: hashToken(token), accountId };
      await store.createSession(session, sessionLifetimeSeconds * 1000);
      return token;
    },

    end: ({ token }) => store.deleteSession(hashToken(token)),

    async find(token) {
      const session = await store.findSession(hashToken(token));
      if (!session) return undefined;
      const { accountId, ...listVersion } = session;
      return { token, accountId, listVersion };
    },
  };
}

// The store keeps hashes, because a stolen backup must not contain usable tokens.
// A fast hash is enough, because tokens are random.
function hashToken(token: string): string {
  return hash('sha256', token);
}
