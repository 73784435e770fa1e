import { UsageError } from '../shared/usage-error.ts';
import { checks } from './checks/all.ts';
import { help, parseArguments, version, type RunSettings } from './command/options.ts';
import { checkReachable, parseTarget, Unreachable } from './command/target.ts';
import { truncate } from './problems/describe.ts';
import { createReport } from './report/create-report.ts';
import { prepareFolder, writeReports } from './report/files.ts';
import { renderRows, viewOf } from './report/summary.ts';
import { renderTerminal } from './report/terminal.ts';
import { run } from './checks/run.ts';

/** On a narrower terminal, lines wrap. */
const minColumns = 40;

// The reader of a pipe may end early, as head does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  if (!(error instanceof UsageError)) throw error;
  console.error(error.message);
  return error instanceof Unreachable ? 3 : 2;
});

/** Runs the command. Returns its exit code. */
async function main(args: string[]): Promise<number> {
  const ids = checks.map(({ id }) => id);
  const command = parseArguments(args, ids);
  if (command.kind === 'run') return runCommand(command.settings);
  const list = checks.map(
    ({ id, level, title, statements }) =>
      `${id.padEnd(11)} ${level.padEnd(7)} ${title} [${statements.join(', ')}]`,
  );
  console.log({ help, version, list: list.join('\n') }[command.kind]);
  return 0;
}

async function runCommand(settings: RunSettings): Promise<number> {
  const { reportFolder } = settings;
  const origin = parseTarget(settings.address);
  if (reportFolder !== undefined) prepareFolder(reportFolder);
  const connectionNotes = await checkReachable(origin);
  const progress = createProgressLine();
  const stop = new AbortController();
  const exitCodes = { SIGINT: 130, SIGTERM: 143 };
  let stoppedCode: number | undefined;
  for (const [signal, code] of Object.entries(exitCodes))
    process.once(signal, () => {
      stoppedCode = code;
      stop.abort();
    });
  const result = await run({
    ...settings,
    origin,
    stop: stop.signal,
    startedAt: new Date(performance.timeOrigin),
    onProgress: progress.update,
    onWait: progress.wait,
  });
  progress.clear();
  const report = createReport(result, connectionNotes);
  const { isTTY, columns } = process.stdout;
  const colors = isTTY && !process.env['NO_COLOR'];
  const width = isTTY ? Math.max(minColumns, columns || 80) : Infinity;
  process.stdout.write(renderTerminal(report, { verbose: settings.verbose, colors, width }));
  const files = reportFolder === undefined ? [] : writeReports(reportFolder, report);
  for (const line of renderRows([{ label: 'reports', lines: files }], 12)) console.log(line);
  return stoppedCode ?? (viewOf(report).isOk ? 0 : 1);
}

/** Shows the check and what it waits for in one line of the terminal, if stderr is one. */
function createProgressLine() {
  const { stderr } = process;
  let check = '';
  const write = (text: string) => {
    const line = truncate(text, (stderr.columns || 80) - 2);
    if (stderr.isTTY) stderr.write(`\r\u001B[2K${line}`);
  };
  return {
    update: (done: number, total: number, { id, title }: { id: string; title: string }) => {
      check = `check ${done + 1} of ${total}: ${id}`;
      write(`${check} ${title}`);
    },
    wait: (reason: string, delayMs = 0) =>
      write(`${check} waits${delayMs > 0 ? ` ${Math.ceil(delayMs / 1000)} s` : ''} for ${reason}`),
    clear: () => write(''),
  };
}
