import { isIPv6 } from 'node:net';
import type { ClientConfig } from 'pg';
import { parse, toClientConfig } from 'pg-connection-string';

const formProblem = `must have the form postgres://user:password@host:port/database, in which \
special characters of the password are encoded, for example / as %2F, # as %23 and % as %25`;

/** The values of parameters that allow some only. */
const choices: Record<string, string[]> = {
  ssl: ['true', '1', '0', 'no-verify'],
  sslmode: ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'],
  sslnegotiation: ['postgres', 'direct'],
  target_session_attrs: ['any', 'primary', 'read-write'],
};
const tlsParameters = ['ssl', 'sslmode', 'sslnegotiation', 'sslrootcert', 'sslcert', 'sslkey'];
const otherParameters = ['host', 'port', 'user', 'password', 'options', 'application_name'];
/** Not needed here. Providers of PostgreSQL add them to the URLs that they show. */
const ignoredParameters = [
  'channel_binding',
  'client_encoding',
  'connect_timeout',
  'fallback_application_name',
  'gssencmode',
  'keepalives',
  'keepalives_idle',
  'pgbouncer',
  'sslsni',
  'uselibpqcompat',
];
const knownParameters = new Set([
  ...Object.keys(choices),
  ...tlsParameters,
  ...otherParameters,
  ...ignoredParameters,
]);

/** Supply what a URL omits, as for psql and pg_dump. `pg` gives some of them another meaning. */
const variables: Record<string, string> = {
  host: 'PGHOST',
  port: 'PGPORT',
  database: 'PGDATABASE',
  user: 'PGUSER',
  password: 'PGPASSWORD',
  options: 'PGOPTIONS',
  application_name: 'PGAPPNAME',
  sslmode: 'PGSSLMODE',
  sslnegotiation: 'PGSSLNEGOTIATION',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  target_session_attrs: 'PGTARGETSESSIONATTRS',
};

type Environment = Record<string, string | undefined>;

/**
 * Returns the parameters of `pg` for each host of a URL, with libpq's meaning of `sslmode`. Throws
 * an error that completes "DATABASE_URL". It contains no part of the URL but paths of certificates,
 * because a part may belong to the password. For that reason no other parser reads the password.
 */
export function parseDatabaseUrl(url: string, environment: Environment = process.env) {
  const [, userInfo = '', authority = '', path = '', query = ''] =
    /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^@/?#]*)(?:\/([^@?#\s\p{C}]*))?(?:\?([^@#]*))?$/u.exec(
      url,
    ) ?? fail(formProblem);
  const [user, password] = [/^[^:]*/, /(?<=:).*$/s].map((part) => decode(part.exec(userInfo)?.[0]));
  const given: Environment = { user, password, database: decode(path) };
  for (const [name, value] of new URLSearchParams(query)) {
    if (!knownParameters.has(name)) {
      fail(`must have no parameters but these: ${[...knownParameters].toSorted().join(', ')}`);
    }
    given[name] = value;
  }
  const valueOf = (name: string) => given[name] || environment[variables[name] ?? ''] || undefined;
  for (const [name, values] of Object.entries(choices)) {
    const [value, source] = [valueOf(name), given[name] ? name : variables[name]];
    if (value === undefined || values.includes(value)) continue;
    fail(`must have one of these values of ${source}: ${values.join(', ')}`);
  }

  const port = valueOf('port') ?? '5432';
  const hosts = authority && !given['host'] ? authority : (valueOf('host') ?? 'localhost');
  const shared = {
    user: valueOf('user') ?? environment['USER'],
    password: valueOf('password'),
    database: valueOf('database') ?? valueOf('user') ?? environment['USER'],
    options: valueOf('options'),
    application_name: valueOf('application_name'),
    ...tlsConfig(valueOf),
  };
  if (Object.values(given).some((value) => value?.includes('\0'))) fail(formProblem);
  return hosts.split(',').map((text) => ({ ...shared, ...parseHost(text, port) }));
}

/** Parses `host`, `host:port`, `[IPv6]:port` or the folder of a Unix domain socket. */
function parseHost(text: string, defaultPort: string) {
  const [, name = '', port = ''] =
    /^(\[[^[\]]+\]|\/.+|[^:[\]]*)(?::(\d*))?$/.exec(text) ?? fail(formProblem);
  const host = decode(name.replace(/^\[(.*)\]$/, '$1'));
  const isHost = isIPv6(host) || /^(?:\/.+|[\p{L}\p{N}._-]+)$/u.test(host);
  const number = Number(port || defaultPort);
  if (!isHost || !(number >= 1 && number <= 65_535)) fail(formProblem);
  return { host, port: number };
}

function tlsConfig(valueOf: (name: string) => string | undefined): ClientConfig {
  const query = new URLSearchParams();
  for (const name of tlsParameters) {
    const value = valueOf(name);
    if (value !== undefined) query.set(name, value);
  }
  try {
    const { ssl = false, sslnegotiation } = toClientConfig(
      parse(`postgres://host/?${query.toString()}`, { useLibpqCompat: true }),
    );
    // Else Node's NODE_TLS_REJECT_UNAUTHORIZED decides where `sslmode` demands a valid certificate.
    const checked = typeof ssl === 'object' ? { rejectUnauthorized: true, ...ssl } : ssl;
    return { ssl: checked, ...(sslnegotiation && { sslnegotiation }) };
  } catch (error) {
    return fail(`cannot be used: ${(error as Error).message}`);
  }
}

function decode(text = ''): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return fail(formProblem);
  }
}

function fail(problem: string): never {
  throw new Error(problem);
}
