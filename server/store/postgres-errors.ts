import { UnusableDatabase } from './postgres-session.ts';

/**
 * Errors for which waiting does not help, and what the operator can do. The patterns are for the
 * code, which is an SQLSTATE or of Node, and the message.
 */
const permanentErrors: [pattern: RegExp, advice?: string][] = [
  [/^28P01/, 'correct the password, whose special characters are encoded in DATABASE_URL'],
  [/^28/, 'correct user and sslmode in DATABASE_URL, or allow the connection in pg_hba.conf'],
  [/^3D/, 'create the database, or correct its name in DATABASE_URL'],
  [/^3F/, 'create the schema that search_path names, or grant the role usage and create on it'],
  [
    /^42501/,
    'grant the role usage and create on the schema, or start the server once as the owner',
  ],
  [
    /^(?:22|42601|42602|42704|58P01)|^08P01 unsupported startup parameter/,
    'correct the options in DATABASE_URL, or the settings of the role',
  ],
  [/^08P01 no such (?:database|user)/, 'correct DATABASE_URL, or add it to PgBouncer'],
  [/^(?:0A|42)/],
  [
    /^\w*(?:CERT|SIGNATURE|SSL|TLS|HOSTNAME_MISMATCH|INVALID_CA)|SSL connection/,
    'correct sslmode and sslrootcert in DATABASE_URL',
  ],
  [/^SASL/, 'set the password in DATABASE_URL or PGPASSWORD'],
  [/^EACCES/, 'let the user of the server open the socket'],
];

const permanentError = ({ code = '', message }: NodeJS.ErrnoException) =>
  permanentErrors.find(([pattern]) => pattern.test(`${code} ${message}`.trim()));

/** Returns true if the same settings will get the same error. */
export const isPermanent = (error: Error) =>
  error instanceof UnusableDatabase || permanentError(error) !== undefined;

/** Returns what is wrong, and what the operator can do. */
export function describePostgresError(error: NodeJS.ErrnoException): string {
  const advice = permanentError(error)?.[1];
  // Some errors have only a code, for example a refused connection to several addresses.
  return `${error.message || error.code}${advice ? `: ${advice}` : ''}`;
}
