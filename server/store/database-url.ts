import type { ClientConfig } from 'pg';
import { parse, toClientConfig } from 'pg-connection-string';

const choices = {
  sslmode: ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'],
  target_session_attrs: ['any', 'primary', 'read-write'],
};

/**
 * Returns the parameters of `pg` for each host of a URL, with libpq's meaning of `sslmode`. Throws
 * an error that completes "DATABASE_URL" and omits the password.
 */
export function parseDatabaseUrl(url: string) {
  const [, start = '', hosts = '', end = ''] =
    /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^@/?#]*)(.*)$/.exec(url) ?? [];
  return hosts.split(',').map((host, _i, { length }) => {
    const parsed = URL.parse(start + host + end);
    if (!parsed || (length > 1 && !host)) {
      throw new Error('must have the form postgres://user:password@host:port/database');
    }
    for (const [name, values] of Object.entries(choices)) {
      const value = parsed.searchParams.get(name);
      if (value === null || values.includes(value)) continue;
      throw new Error(`must have one of these values of ${name}: ${values.join(', ')}`);
    }
    try {
      const config: ClientConfig = toClientConfig(parse(parsed.href, { useLibpqCompat: true }));
      return { ...config, host: config.host || 'localhost', port: config.port ?? 5432 };
    } catch (error) {
      throw new Error(`cannot be used: ${(error as Error).message}`, { cause: error });
    }
  });
}
