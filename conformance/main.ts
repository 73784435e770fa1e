import { spawnSync } from 'node:child_process';
import { UsageError } from '../shared/usage-error.ts';
import { checks } from './checks/all.ts';
import { help, parseArguments, version, type RunSettings } from './command/options.ts';
import { checkReachable, parseTarget, Unreachable } from './command/target.ts';
import { truncate } from './problems/describe.ts';
import { createReport } from './report/create-report.ts';
import { prepareFolder, writeReports } from './report/files.ts';
import type { Report, ReportedProblem } from './report/schema.ts';
import { renderRows, viewOf } from './report/summary.ts';
import { renderTerminal } from './report/terminal.ts';
import { run } from './checks/run.ts';
import { prepareUi } from './ui/prepare.ts';

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
  if (settings.tries === 'run') requireCurl();
  const { reportFolder } = settings;
  const target = parseTarget(settings.address);
  const folder = reportFolder ?? (settings.ui ? 'conformance-report' : undefined);
  if (folder !== undefined) prepareFolder(folder);
  const connectionNotes = await checkReachable(target.origin);
  const ui = settings.ui ? await prepareUi(folder!) : undefined;
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
    origin: target.origin,
    stop: stop.signal,
    startedAt: new Date(performance.timeOrigin),
    ui,
    onProgress: progress.update,
    onWait: progress.wait,
  });
  progress.clear();
  const report = createReport(result, [...target.notes, ...connectionNotes]);
  if (settings.tries) return tryFinding(report, settings.tries === 'run');
  const { isTTY, columns } = process.stdout;
  const colors = isTTY && !process.env['NO_COLOR'];
  const width = isTTY ? Math.max(minColumns, columns || 80) : Infinity;
  process.stdout.write(renderTerminal(report, { verbose: settings.verbose, colors, width }));
  // The report is printed even if its folder has gone meanwhile.
  if (reportFolder !== undefined) prepareFolder(reportFolder);
  const files = reportFolder === undefined ? [] : writeReports(reportFolder, report);
  for (const line of renderRows([['reports', ...files]], 12)) console.log(line);
  return stoppedCode ?? (viewOf(report).isOk ? 0 : 1);
}

/** Prints or runs the commands that repeat the first problem. Returns the exit code. */
function tryFinding(report: Report, isRun: boolean): number {
  const [finding] = report.findings;
  if (!finding) {
    console.log(
      `There is nothing to try. ${report.verdict} If a whole run reports a problem here, requests of other checks are part of it: --report DIR writes them.`,
    );
    return viewOf(report).isOk ? 0 : 1;
  }
  const { ids, title, problems, reproduce } = finding;
  const [{ description, detail }] = problems as [ReportedProblem];
  console.log(
    [`${ids[0]}  ${title}`, description, detail ?? []]
      .flat()
      .map((line) => `# ${line}`)
      .join('\n'),
  );
  if (reproduce.length === 0)
    console.log('# Commands cannot repeat this. --report has its requests.');
  else if (!isRun) console.log(reproduce.join('\n'));
  else {
    const stdio = ['inherit', 'pipe', 'inherit'] as const;
    // Ends a command whose response does not arrive.
    const endingCurl = 'curl() { command curl --max-time 60 "$@"; }';
    const { stdout } = spawnSync('sh', ['-c', [endingCurl, ...reproduce].join('\n')], {
      stdio: [...stdio],
      maxBuffer: Infinity,
    });
    process.stdout.write(stdout);
    console.log(`# ${compareStatus(String(stdout), problems[0]!)}`);
  }
  return viewOf(report).isOk ? 0 : 1;
}

function requireCurl() {
  if (spawnSync('sh', ['-c', 'command -v curl']).status === 0) return;
  throw new UsageError(
    '--run needs curl and a POSIX shell. Leave it out, and run the printed commands elsewhere.',
  );
}

/** Says whether the commands got the status that the problem had. */
function compareStatus(output: string, { calls }: ReportedProblem): string {
  const expected = /^\d{3}/.exec(calls.at(-1)?.response ?? '')?.[0] ?? 'none';
  const statuses = [...output.matchAll(/^HTTP\/\S+ (\d{3})/gm)].map(([, status]) => status!);
  if (statuses.length === 0) {
    return expected === 'none'
      ? 'No response has arrived, as in the problem.'
      : 'No response has arrived, so the commands tell nothing about the problem.';
  }
  return statuses.includes(expected)
    ? `A response has the status of the problem, ${expected}.`
    : `The problem did not repeat, so it comes and goes: no response has its status, ${expected}.`;
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
