import { array, assert, constantFrom, oneof, pre, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readSettings } from '../../commands/settings.ts';
import { parseDatabaseUrl } from '../../store/database-url.ts';

const specials = Array.from(`/#?@:%&=+ \\"'<>[]{}|^$!*(),;~\`éß€😀`);
const passwords = array(
  oneof(constantFrom(...specials), constantFrom(...Array.from('0123456789abcXYZ'))),
  {
    minLength: 3,
    maxLength: 20,
  },
).map((characters) => characters.join(''));
const places: [name: string, prefix: string, suffix: string][] = [
  ['one host', 'postgres://user:', '@db.example/name'],
  [
    'an address, a port and a parameter',
    'postgres://user:12',
    '@[2001:db8::5]:5433/d?sslmode=require',
  ],
  ['several hosts', 'postgresql://user:', '@h1:5432,h2:5433/d'],
  ['no database', 'postgres://user:5', '@localhost'],
];

const runs = { numRuns: 300, seed: 1 };
const encodingAdvice: unknown = expect.stringMatching(
  /^DATABASE_URL .+ encoded(?:, for example \/ as %2F.+| as %24)\.$/,
);

/** Returns the pieces of a password that are no part of the message about any password. */
function piecesOf(password: string): string[] {
  const common = readSettings({ DATABASE_URL: 'x' }).problems.join();
  return Array.from({ length: password.length - 2 }, (_, i) => password.slice(i, i + 3)).filter(
    (piece) => !common.includes(piece),
  );
}

test.each([
  ['verify-full', true],
  ['verify-ca&sslrootcert=testing/self-signed.pem', true],
  ['require&sslrootcert=testing/self-signed.pem', true],
  ['require', false],
  ['prefer', false],
])(
  'sslmode=%s checks certificates: %s, also if the environment of Node says no',
  (mode, isChecked) => {
    const [host] = parseDatabaseUrl(`postgres://u@h/d?sslmode=${mode}`, {});
    expect(host?.ssl).toMatchObject({ rejectUnauthorized: isChecked });
  },
);

describe.each(places)('a password in a DATABASE_URL with %s', (_name, prefix, suffix) => {
  const digits = /\d*$/.exec(prefix)?.[0] ?? '';

  test('is read if it is encoded', () => {
    assert(
      property(passwords, (password) => {
        const [host] = parseDatabaseUrl(prefix + encodeURIComponent(password) + suffix, {});
        expect(host).toMatchObject({ user: 'user', password: digits + password });
      }),
      runs,
    );
  });

  test('is read as it is or refused with one sentence without a piece of it', () => {
    assert(
      property(passwords, (password) => {
        // A password cannot say whether "%41" was meant as "A".
        pre(!/%[\da-f]{2}/i.test(password));
        const DATABASE_URL = prefix + password + suffix;
        const { settings, problems } = readSettings({ DATABASE_URL });
        for (const piece of piecesOf(password)) expect(problems.join()).not.toContain(piece);
        const read = settings && parseDatabaseUrl(DATABASE_URL, {})[0]?.password;
        expect(read ?? problems).toEqual(settings ? digits + password : [encodingAdvice]);
      }),
      runs,
    );
  });
});

test.each([
  [
    'postgres://h/d',
    { PGUSER: 'u', PGPASSWORD: 'p/w', PGSSLMODE: 'require' },
    { user: 'u', password: 'p/w', ssl: { rejectUnauthorized: false } },
  ],
  [
    'postgres://u@h/d',
    { PGUSER: 'other', PGDATABASE: 'other', PGPORT: '1' },
    { user: 'u', database: 'd', port: 1 },
  ],
  [
    'postgres:///',
    { PGHOST: '/run/postgresql', USER: 'me' },
    { host: '/run/postgresql', database: 'me', ssl: false },
  ],
  [
    'postgres://h:5433',
    { PGHOST: 'other', PGPORT: '1', PGOPTIONS: '-c a=b' },
    { host: 'h', port: 5433, options: '-c a=b' },
  ],
  ['postgres:///d?host=/run/postgresql&user=u', {}, { host: '/run/postgresql', user: 'u' }],
  ['postgres://%2Frun%2Fpostgresql:5433/d', {}, { host: '/run/postgresql', port: 5433 }],
  ['postgres://u@[::1]/d', {}, { host: '::1', port: 5432 }],
])('%s with %j is read like psql reads it', (url, environment, expected) => {
  expect(parseDatabaseUrl(url, environment)).toEqual([expect.objectContaining(expected)]);
});

test.each([
  [
    'postgres://u@h/d',
    { PGSSLMODE: 'bogus' },
    'must have one of these values of PGSSLMODE: disable',
  ],
  ['postgres://u@h/d', { PGPORT: 'x' }, 'must have the form'],
  ['postgres://u@h/d?sslmod=require', {}, 'must have no parameters but these: '],
  ['postgres://u@h:0/d', {}, 'must have the form'],
  ['postgres://u@h/d?target_session_attrs=standby', {}, 'any, primary, read-write'],
  ['postgres://u@h/d?sslmode=verify-ca', {}, 'sslrootcert'],
  ['postgres://u@h:99999/d', {}, 'must have the form'],
  ['postgres://u@${DB_HOST}/d', {}, 'must have the form'],
  ['postgres://u@h/d%00', {}, 'must have the form'],
  ['jdbc:postgresql://u@h/d', {}, 'must have the form'],
  ['host=h user=u', {}, 'must have the form'],
])('%s with %j is refused: %s', (url, environment, problem) => {
  expect(() => parseDatabaseUrl(url, environment)).toThrow(problem);
});
