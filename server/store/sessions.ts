import type { Database } from './database.ts';
import type { ListVersion } from './lists.ts';

/** What the store has of a session's token, which it must not have. */
export type TokenHash = string & { readonly isHash: true };

interface SessionRecord {
  tokenHash: TokenHash;
  accountId: string;
}

type SessionRow = SessionRecord & ListVersion;

export const deleteSessionsOfAccount =
  'delete from sessions where account_id = $1 returning token_hash';

export function sessionQueries(database: Database) {
  return {
    async createSession({ tokenHash, accountId }: SessionRecord, lifetimeMs: number) {
      await database.query(
        `insert into sessions (token_hash, account_id, expires_at)
         values ($1, $2, ${database.now} + cast($3 as bigint))`,
        [tokenHash, accountId, lifetimeMs],
      );
    },

    /**
     * Returns undefined if the session has expired or does not exist, or its account is gone.
     * Includes the version of the account's list, because one query costs less than two.
     */
    async findSession(tokenHash: TokenHash) {
      const [session] = await database.query<SessionRow>(
        `select sessions.token_hash as "tokenHash", sessions.account_id as "accountId",
           accounts.list_edits as edits,
           projects.id as "lastId", coalesce(projects.position, 0) as "lastPosition"
         from sessions join accounts on accounts.id = sessions.account_id
           left join projects on projects.account_id = sessions.account_id
             and projects.position = (select max(position) from projects
                                      where account_id = sessions.account_id)
         where token_hash = $1 and expires_at > ${database.now}`,
        [tokenHash],
      );
      return session;
    },

    async deleteSession(tokenHash: TokenHash) {
      await database.query('delete from sessions where token_hash = $1', [tokenHash]);
    },

    /** Returns the number of deleted sessions. */
    async deleteSessionsOfAccount(accountId: string) {
      return (await database.query(deleteSessionsOfAccount, [accountId])).length;
    },
  };
}
