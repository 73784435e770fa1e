/** PostgreSQL can never serve the store as it is set up. The message says what to change. */
export class UnusableDatabase extends Error {}

/** The oldest version on which the migrations run. */
const minVersion = 11;
/** What PostgreSQL converts no text to. `SQL_ASCII` stores the bytes as they are. */
const encodings = ['UTF8', 'SQL_ASCII'];

/** What the statements of the store need. Triggers run with the rights of the role. */
const rights: Record<string, string[]> = {
  migrations: ['select'],
  accounts: ['select', 'insert', 'update'],
  sessions: ['select', 'insert', 'update', 'delete'],
  projects: ['select', 'insert', 'update'],
  attempt_buckets: ['select', 'insert', 'update', 'delete'],
  known_networks: ['select', 'insert', 'update', 'delete'],
  health: ['select', 'insert', 'update'],
};

/** What the store needs, whatever the defaults of the role, the database and the host are. */
const settings = (timeoutMs: number) => ({
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  default_transaction_read_only: 'off',
  synchronous_commit: 'on',
  exit_on_error: 'off',
  statement_timeout: timeoutMs,
  idle_in_transaction_session_timeout: timeoutMs,
  lock_timeout: 0,
  transaction_timeout: 0,
  idle_session_timeout: 0,
});

export interface PostgresSession {
  /** There is no pooler between this process and PostgreSQL. */
  isDirect: boolean;
  isReadOnly: boolean;
  /** What each transaction through a pooler has to begin with. */
  localSettings: string;
  version: string;
  encoding: string;
  /** Of replication. */
  role: string | null;
}

/**
 * Returns SQL that sets the session up and describes it. Changes only settings with which a call
 * would fail or lose data, because the others are the choice of the operator. Through a pooler a
 * setting would reach other clients, so it changes none.
 */
export function prepareSession(processId: number, timeoutMs: number): string {
  const values = Object.entries(settings(timeoutMs)).map((entry) => `('${entry.join("', '")}')`);
  return `
    set local statement_timeout = 0;
    with session as (select pg_backend_pid() = ${processId} as "isDirect"),
    changes as (
      select name, value from session, pg_settings
      join (values ${values.join(', ')}) as needed (name, value) using (name)
      where case
        -- It protects a full disk or an old primary, unless only the role has it.
        when name = 'default_transaction_read_only'
          then setting = 'on' and source in ('user', 'database user')
        when name = 'synchronous_commit' then setting = 'off'
        when name in ('statement_timeout', 'idle_in_transaction_session_timeout')
          and "isDirect" then true
        when name = 'idle_session_timeout' then setting <> '0' and "isDirect"
        when name like '%timeout' then cast(setting as bigint) between 1 and ${timeoutMs - 1}
        else setting <> value
      end
    )
    select "isDirect",
      pg_is_in_recovery() or (current_setting('transaction_read_only') = 'on' and not exists (
        select 1 from changes where name = 'default_transaction_read_only')) as "isReadOnly",
      current_setting('server_version') as version,
      current_setting('server_encoding') as encoding,
      current_setting('session_replication_role', true) as role,
      case when "isDirect" then (select count(set_config(name, value, false)) from changes) end,
      case when "isDirect" then '' else coalesce((
        -- The default would apply to the next transaction only.
        select string_agg(format('; set local %I = %L', replace(name, 'default_', ''), value), '')
        from changes), '')
      end as "localSettings"
    from session`;
}

/** Throws `UnusableDatabase` if the database cannot store what users send. */
export function assertUsable({ version, encoding, role }: PostgresSession) {
  if (!(Number.parseInt(version) >= minVersion)) {
    throw new UnusableDatabase(
      `its version is ${version}, but the server needs PostgreSQL ${minVersion} or newer`,
    );
  }
  if (!encodings.includes(encoding)) {
    throw new UnusableDatabase(
      `its encoding ${encoding} cannot store every text, so create another one with "create database … encoding 'UTF8' template template0"`,
    );
  }
  if (role === 'replica') {
    throw new UnusableDatabase(
      'session_replication_role is "replica", which disables triggers, so set it to "origin"',
    );
  }
}

const missingRights = Object.entries(rights)
  .flatMap(([table, names]) => names.map((name) => `('${table}', '${name}')`))
  .join(', ');

/** SQL that describes what keeps the role from using the tables that exist. */
export const describeRole = `
  select pg_is_in_recovery() as "isStandby", current_user as user,
    current_setting('transaction_read_only') as "isReadOnly", (
      select string_agg(privilege || ' on ' || name, ', ') from (values ${missingRights})
        as needed (name, privilege)
      where to_regclass(name) is not null and not has_table_privilege(to_regclass(name), privilege)
    ) as missing, (
      select string_agg(distinct name, ', ') from (values ${missingRights}) as needed (name)
      where row_security_active(to_regclass(name))
    ) as hidden`;

/**
 * Throws `UnusableDatabase` if the role may not write, or may not see all rows. A standby may be
 * promoted later.
 */
export function assertWritable(role: unknown) {
  const { isStandby, isReadOnly, user, missing, hidden } = role as Record<string, string | null>;
  if (isStandby) throw new Error('it is a standby, which accepts no writes');
  if (isReadOnly === 'on') {
    throw new UnusableDatabase(
      'default_transaction_read_only is "on", so reset it for the database or in postgresql.conf',
    );
  }
  if (missing) {
    throw new UnusableDatabase(
      `the role ${user} lacks ${missing}, so grant it select, insert, update and delete on all tables of the server`,
    );
  }
  // Right passwords would be refused.
  if (hidden) {
    throw new UnusableDatabase(
      `row-level security may hide rows of ${hidden} from the role ${user}, so disable it for these tables, or "alter role ${user} bypassrls"`,
    );
  }
}
