import { existsSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { createApp } from './app.ts';
import {
  asUsageError,
  UsageError,
  openConfiguredStore,
  run,
  type Failure,
} from './commands/cli.ts';
import { addressesOf, listen } from './http/listening.ts';
import { logOptions } from './http/log.ts';
import { help, readSettings, type Settings } from './settings.ts';

const shutdownTimeoutMs = 20_000; // milliseconds that requests get to finish after the port is closed

// What is sent is garbage at once. Left alone, V8 makes room for 100 MB of it where long lists are read; this costs no speed.
setFlagsFromString('--semi-space-growth-factor=1');

const args = process.argv.slice(2);
if (args.includes('--help') || args.includes('-h')) {
  process.stdout.write(help);
} else {
  await run(async () => serve(readArguments()));
}

function readArguments(): Settings {
  const { settings, mistakes } = readSettings(process.env);
  const all = [
    ...args.map((argument) => `Unknown argument "${argument}": try --help.`),
    ...mistakes,
  ];
  if (settings && !existsSync(join(settings.dist, 'index.html'))) {
    all.push(`There is no built app in ${settings.dist}: run "npm run build" first.`);
  }
  if (!settings || all.length > 0) throw new UsageError(all.join('\n'));
  return settings;
}

async function serve(settings: Settings) {
  const { dist, host, port } = settings;
  const store = await openConfiguredStore(settings);
  let draining = false;
  const app = await createApp({
    store,
    dist,
    logger: logOptions(settings.logLevel),
    trustedProxies: settings.trustedProxies,
    isDraining: () => draining,
  });
  const listener = await asUsageError(
    async () => listen(app, await addressesOf(host, port), port),
    (error) => describeListenFailure(settings, error),
  );
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, async () => {
      draining = true;
      app.log.info({ signal }, 'stopping');
      // Time for a balancer to see /readyz and to leave its kept connections, which each answer now closes. Nobody waits for
      // that at a terminal.
      if (signal === 'SIGTERM') await passed(settings.drainSeconds * 1000);
      setTimeout(() => {
        app.log.warn('Requests that did not end in time were cut off.');
        process.exit(0);
      }, shutdownTimeoutMs).unref();
      await listener.close();
      await store.close();
      process.exit(0);
    });
  }
  console.log(`Tracker App is ready at http://${shownHost(host)}:${listener.port}`);
}

function describeListenFailure({ host, port }: Settings, error: Failure): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return `Port ${port} is taken by another program: stop that one, or choose another port, as in PORT=${port + 1}.`;
    case 'EACCES':
      return `PORT: this user may not listen on port ${port}: choose one above 1023.`;
    default:
      return `HOST: cannot listen on ${host}, port ${port}: ${error.message}.`;
  }
}

function shownHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return isIPv6(host) ? `[${host}]` : host;
}
