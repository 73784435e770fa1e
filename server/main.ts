import { existsSync } from 'node:fs';
import { enableCompileCache, flushCompileCache } from 'node:module';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isatty } from 'node:tty';
import { setFlagsFromString } from 'node:v8';
import type { Settings } from './commands/settings.ts';

/** How long requests in flight may take after the port is closed. */
const shutdownTimeoutMs = 20_000;
/** A terminal that closes sends SIGHUP. Without one, log rotation or `nohup` sends it. */
const hasTerminal = isatty(1) || isatty(2);
const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
/** Without a listener, SIGUSR1 opens Node's debugger and SIGUSR2 ends the process. */
const ignoredSignals = ['SIGUSR1', 'SIGUSR2'] as const;

// Each signal has one listener from here to the end of the process, so that none gets lost. What a
// signal does changes once: before the port opens, nothing has to be completed.
let stop: (signal: NodeJS.Signals) => unknown = (signal) => process.exit(exitCodeOf(signal));
const exitCodeOf = (signal: NodeJS.Signals) => (signal === 'SIGHUP' ? 129 : 0);
let stopSignalCount = 0;
for (const signal of stopSignals) {
  process.on(signal, () => {
    if (signal === 'SIGHUP' && !hasTerminal) return;
    stopSignalCount += 1;
    // The second one may be npm's copy of a signal that the terminal has sent to both.
    if (stopSignalCount === 1) stop(signal);
    if (stopSignalCount > 2) process.exit(1);
  });
}
for (const signal of ignoredSignals) process.on(signal, () => {});

// Responses are short-lived garbage. By default, V8 grows its young generation by 100 MB for long
// lists, and keeps 150 MB of garbage for 200 of them; without that, they are sent equally fast.
setFlagsFromString('--semi-space-growth-factor=1');
setFlagsFromString('--heap-growing-percent=50');

// Compiling is half of a start. The cache serves what is imported after this line. Without
// permission to write, nothing is cached.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/server'));
const { asUsageError, describeDatabase, openConfiguredStore, runDataCommand } =
  await import('./commands/startup.ts');
const { helpText, readSettings } = await import('./commands/settings.ts');
const { UsageError } = await import('../shared/usage-error.ts');

const args = process.argv.slice(2);
if (args.includes('--help') || args.includes('-h')) {
  process.stdout.write(helpText);
} else {
  await runDataCommand(async () => serve(loadSettings()));
}

/** Returns the settings. Throws a `UsageError` with all problems. */
function loadSettings(): Settings {
  const { settings, problems } = readSettings(process.env);
  const allProblems = [
    ...args.map((argument) => `Unknown argument "${argument}": try --help.`),
    ...problems,
  ];
  if (settings && !existsSync(join(settings.dist, 'index.html'))) {
    allProblems.push(`There is no built app in ${settings.dist}: run "npm run build" first.`);
  }
  if (!settings || allProblems.length > 0) throw new UsageError(allProblems.join('\n'));
  return settings;
}

async function serve(settings: Settings) {
  const { dist, host, port } = settings;
  const modules = Promise.all([
    import('./app.ts'),
    import('./http/exceptions.ts'),
    import('./http/listening.ts'),
    import('./http/log.ts'),
  ]);
  const store = await openConfiguredStore(settings, { isServer: true });
  const [{ createServer }, { handleUncaughtException }, { listen, resolveHost }, { logOptions }] =
    await modules;
  let isDraining = false;
  const app = await createServer({
    store,
    dist,
    logger: await logOptions(settings.logLevel),
    trustedProxies: settings.trustedProxies,
    isDraining: () => isDraining,
  });
  const { metricsPort, metricsHost } = settings;
  if (metricsPort !== undefined) {
    const { serveMetrics } = await import('./metrics.ts');
    const url = await asUsageError(
      () => serveMetrics(store, app.hashing, metricsHost, metricsPort),
      (error) => describeListenError('METRICS_', metricsHost, metricsPort, error),
    );
    app.log.info(`Metrics are at ${url}`);
  }
  const listening = asUsageError(
    async () => listen(app, await resolveHost(host, port), port),
    (error) => describeListenError('', host, port, error),
  );
  stop = async (signal) => {
    isDraining = true;
    app.log.info({ signal }, 'stopping');
    const listener = await listening;
    // Meanwhile a load balancer sees /readyz fail, and each response closes its connection.
    // The other signals come from a terminal, where no load balancer waits.
    if (signal === 'SIGTERM') await delay(settings.drainMs);
    setTimeout(() => {
      app.log.warn('Requests that did not end in time were cut off.');
      process.exit(exitCodeOf(signal));
    }, shutdownTimeoutMs).unref();
    await listener.close();
    await store.close();
    process.exit(exitCodeOf(signal));
  };
  const { port: usedPort } = await listening;
  process.on('uncaughtException', (error) => handleUncaughtException(app.log, error));
  console.log(
    `Data is in ${describeDatabase(settings)}${store.isNew ? ', which is new' : ''}.\n` +
      `Tracker App is ready at http://${urlHost(host)}:${usedPort}`,
  );
  flushCompileCache();
}

function describeListenError(prefix: string, host: string, port: number, error: Error): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return `Port ${port} is in use. Stop the other program or set ${prefix}PORT, for example ${prefix}PORT=${port + 1}.`;
    case 'EACCES':
      return `${prefix}PORT: this user may not listen on port ${port}. Choose a port above 1023.`;
    default:
      return `${prefix}HOST: cannot listen on ${host}, port ${port}: ${error.message}. Unset HOST, or set it to an address of this machine.`;
  }
}

/** Returns the host of a URL that a browser on this machine can open. */
function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return isIPv6(host) ? `[${host}]` : host;
}
