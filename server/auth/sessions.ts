import { hash, randomBytes } from 'node:crypto';
import type { ListVersion } from '../store/lists.ts';
import type { TokenHash } from '../store/sessions.ts';
import type { Store } from '../store/store.ts';

export const sessionLifetimeSeconds = 30 * 24 * 60 * 60;

export interface Session {
  /** Sent only as the user's cookie. */
  token: string;
  tokenHash: TokenHash;
  accountId: string;
  listVersion: ListVersion;
}

export type Sessions = ReturnType<typeof createSessions>;

export function createSessions(store: Store) {
  return {
    /** Returns the token. */
    async start(accountId: string) {
      const token = randomBytes(32).toString('base64url');
      const session = { tokenHash: hashToken(token), accountId };
      await store.createSession(session, sessionLifetimeSeconds * 1000);
      return token;
    },

    end: ({ tokenHash }: Session) => store.deleteSession(tokenHash),

    /** Returns undefined if the session has expired or does not exist. */
    async find(token: string): Promise<Session | undefined> {
      const session = await store.findSession(hashToken(token));
      if (!session) return undefined;
      const { accountId, tokenHash, ...listVersion } = session;
      return { token, tokenHash, accountId, listVersion };
    },
  };
}

// The store keeps hashes, because a stolen backup must not contain usable tokens.
// A fast hash is enough, because tokens are random.
function hashToken(token: string): TokenHash {
  return hash('sha256', token) as TokenHash;
}
