import type { Database } from './database.ts';
import { deleteSessionsOfAccount } from './sessions.ts';

/** In lower case, and an internationalized domain as Punycode. Only `canonicalEmail` makes one. */
export type CanonicalEmail = string & { readonly isCanonical: true };

export interface Account {
  id: string;
  email: CanonicalEmail;
  passwordHash: string;
  role: string;
}

/** How long a network is known after a sign-in of the account. */
export const knownNetworkMs = 30 * 24 * 60 * 60 * 1000;

// oxlint-disable-next-line max-lines-per-function -- a list of statements
export function accountQueries(database: Database) {
  return {
    /** Returns false if the email has an account. */
    async createAccount({ id, email, passwordHash, role }: Account) {
      const created = await database.query(
        `insert into accounts (id, email, password_hash, role, created_at)
         values ($1, $2, $3, $4, ${database.now}) on conflict do nothing returning id`,
        [id, email, passwordHash, role],
      );
      return created.length > 0;
    },

    /** `isKnown` is true if the account signed in from the network lately. */
    async findAccount(email: CanonicalEmail, network = '') {
      type Row = Pick<Account, 'id' | 'passwordHash'> & { isKnown: boolean | number };
      const [account] = await database.query<Row>(
        `select id, password_hash as "passwordHash", exists (
           select 1 from known_networks where account_id = accounts.id and network = $2
             and abs(seen_at - ${database.now}) < ${knownNetworkMs}) as "isKnown"
         from accounts where email = $1`,
        [email, network],
      );
      return account && { ...account, isKnown: Boolean(account.isKnown) };
    },

    /** Replaces the hash `from`, and no password that was set meanwhile. */
    async replacePasswordHash(accountId: string, from: string, to: string) {
      await database.query(
        'update accounts set password_hash = $3 where id = $1 and password_hash = $2',
        [accountId, from, to],
      );
    },

    /** Returns the number of sessions that it ended. Undefined if no account has the email. */
    resetPassword: (email: CanonicalEmail, passwordHash: string) =>
      database.transact(function* () {
        const accounts = yield [
          'update accounts set password_hash = $2 where email = $1 returning id',
          [email, passwordHash],
        ];
        const [account] = accounts as Pick<Account, 'id'>[];
        if (!account) return undefined;
        return (yield [deleteSessionsOfAccount, [account.id]]).length;
      }),

    /** Deletes all that belongs to the account. Returns false if no account has the email. */
    deleteAccount: (email: CanonicalEmail, emailHash: string) =>
      database.transact(function* () {
        // The other tables delete their rows with the account.
        const deleted = yield ['delete from accounts where email = $1 returning id', [email]];
        yield ['delete from attempt_buckets where email_hash = $1', [emailHash]];
        return deleted.length > 0;
      }),

    /** Remembers that the account signed in from the network. */
    async rememberNetwork(accountId: string, network: string) {
      await database.query(
        `insert into known_networks (account_id, network, seen_at) values ($1, $2, ${database.now})
         on conflict (account_id, network) do update set seen_at = excluded.seen_at`,
        [accountId, network],
      );
    },
  };
}
