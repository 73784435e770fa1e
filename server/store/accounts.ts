import type { Database } from './database.ts';

export interface Account {
  id: string;
  /** Canonical: in lower case, and an internationalized domain as Punycode. */
  email: string;
  passwordHash: string;
  role: string;
}

/** How long a network is known after a sign-in of the account. */
export const knownNetworkMs = 30 * 24 * 60 * 60 * 1000;

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
    async findAccount(email: string, network = '') {
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

    async replacePasswordHash(accountId: string, passwordHash: string) {
      await database.query('update accounts set password_hash = $2 where id = $1', [
        accountId,
        passwordHash,
      ]);
    },

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
