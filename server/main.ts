import { existsSync } from 'node:fs';
import { lookup } from 'node:dns/promises';
import { createServer, isIPv6, type AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createApp } from './app.ts';
import { help, readSettings, type Settings } from './settings.ts';
import { openPostgres } from './store/postgres.ts';
import { openSqlite } from './store/sqlite.ts';
import { openStore, type Store } from './store/store.ts';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const patience = 10_000; // milliseconds that requests get to finish after a signal to stop

await main(process.argv.slice(2));

async function main(args: string[]) {
  if (args.includes('--help') || args.includes('-h')) return process.stdout.write(help);
  const { settings, mistakes } = readSettings(process.env);
  const all = [
    ...args.map((argument) => `Unknown argument "${argument}". Try --help.`),
    ...mistakes,
    ...(existsSync(`${dist}index.html`)
      ? []
      : ['dist/ holds no built app: run "npm run build" first.']),
  ];
  if (!settings || all.length > 0) return stop(all);

  // Everything this process writes is people's data, and only for its own user to read.
  process.umask(0o077);
  let store: Store;
  try {
    store = await openStoreOf(settings);
  } catch (error) {
    return stop([describeStoreFailure(settings, error)]);
  }

  const app = await createApp({ store, dist, logger: { level: 'warn', stream: process.stderr } });
  try {
    await refuseTakenPort(settings);
    await app.listen({ port: settings.port, host: settings.host });
  } catch (error) {
    return stop([describeListenFailure(settings, error)]);
  }
  const { port } = app.server.address() as AddressInfo;
  console.log(`Tracker App is ready at http://${shownHost(settings.host)}:${port}`);

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, async () => {
      setTimeout(() => process.exit(1), patience).unref();
      await app.close();
      await store.close();
      process.exit(0);
    });
  }
}

function stop(mistakes: string[]) {
  for (const mistake of mistakes) console.error(mistake);
  process.exit(1);
}

function openStoreOf({ databaseUrl, dataDirectory }: Settings): Promise<Store> {
  return openStore(databaseUrl ? openPostgres(databaseUrl) : openSqlite(dataDirectory));
}

function describeStoreFailure({ databaseUrl, dataDirectory }: Settings, error: unknown): string {
  if (!databaseUrl)
    return `DATA_DIR: cannot keep data in ${resolve(dataDirectory)}: ${reason(error)}.`;
  const { hostname, port, pathname } = new URL(databaseUrl);
  return `DATABASE_URL: cannot use the database ${pathname.slice(1)} at ${hostname}:${port || 5432}: ${reason(error)}.`;
}

// Fastify listens on every address of "localhost", and is content with one of them. Somebody else on the other one
// would get half of our visitors.
async function refuseTakenPort({ host, port }: Settings) {
  if (port === 0) return;
  for (const { address } of await lookup(host, { all: true })) {
    const probe = createServer();
    await new Promise<void>((done, fail) => {
      probe.once('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'EADDRNOTAVAIL' && host === 'localhost') done();
        else fail(error);
      });
      probe.listen({ port, host: address, exclusive: true }, () => probe.close(() => done()));
    });
  }
}

function describeListenFailure({ host, port }: Settings, error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return `Port ${port} is taken by another program: stop that one, or choose another port, as in PORT=${port + 1}.`;
    case 'EACCES':
      return `PORT: this user may not listen on port ${port}: choose one above 1023.`;
    default:
      return `HOST: cannot listen on ${host}, port ${port}: ${reason(error)}.`;
  }
}

function reason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return message || code || String(error);
}

function shownHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return isIPv6(host) ? `[${host}]` : host;
}
