import { checks } from './checks/all.ts';
import { help, parseArguments, version, type RunSettings } from './cli.ts';
import { createRunId } from './fixtures.ts';
import { createReport } from './report/create-report.ts';
import { prepareFolder, writeReports } from './report/files.ts';
import { renderTerminal } from './report/terminal.ts';
import { exitCodeOf, run } from './run.ts';
import { checkReachable, parseTarget } from './target.ts';

process.exitCode = await main(process.argv.slice(2));

/** Runs the command. Returns its exit code. */
async function main(args: string[]): Promise<number> {
  const command = parseArguments(
    args,
    checks.map(({ id }) => id),
  );
  if (command.kind === 'run') return runCommand(command.settings);
  if (command.kind === 'invalid') {
    for (const error of command.errors) console.error(error);
    console.error('See --help.');
    return 2;
  }
  if (command.kind === 'help') process.stdout.write(help);
  if (command.kind === 'version') console.log(version);
  if (command.kind === 'list') {
    for (const { id, level, title, statements } of checks) {
      console.log(`${id.padEnd(11)} ${level.padEnd(7)} ${title} [${statements.join(', ')}]`);
    }
  }
  return 0;
}

async function runCommand(settings: RunSettings): Promise<number> {
  const fail = (exitCode: number, message: string) => {
    console.error(message);
    return exitCode;
  };
  const target = parseTarget(settings.address);
  if ('error' in target) return fail(2, target.error);
  const folder = settings.reportFolder ?? (settings.ui ? 'conformance-report' : undefined);
  const folderError = folder === undefined ? undefined : prepareFolder(folder);
  if (folderError !== undefined) return fail(2, folderError);
  const connection = await checkReachable(target.origin);
  if ('unreachable' in connection) return fail(3, connection.unreachable);
  for (const note of [...target.notes, ...connection.notes]) console.log(note);

  let ui;
  if (settings.ui) {
    const { prepareUi } = await import('./ui/prepare.ts');
    const prepared = await prepareUi(folder!);
    if ('missing' in prepared) return fail(2, prepared.missing);
    ui = prepared;
  }
  const progress = createProgressLine();
  const runId = createRunId();
  process.once('SIGINT', () => {
    progress.clear();
    console.error(
      `Stopped early. The data created so far stays on the server and contains "${runId}".`,
    );
    process.exit(130);
  });
  const result = await run({
    ...settings,
    origin: target.origin,
    runId,
    ui,
    onProgress: progress.update,
    onWait: progress.wait,
  });
  progress.clear();
  const report = createReport(result);
  const colors = process.stdout.isTTY && !process.env['NO_COLOR'];
  process.stdout.write(renderTerminal(report, { verbose: settings.verbose, colors }));
  if (settings.reportFolder !== undefined) {
    const files = writeReports(settings.reportFolder, report, result.context.screenshots);
    console.log(`Reports: ${files.join(', ')}`);
  }
  return exitCodeOf(result);
}

/** Shows progress in one line that is overwritten. Writes nothing if stderr is not a terminal. */
function createProgressLine() {
  const { stderr } = process;
  const clearLine = '\r\u001B[2K';
  return {
    update: (done: number, total: number, { id, title }: { id: string; title: string }) => {
      if (!stderr.isTTY) return;
      const columns = stderr.columns || 80;
      stderr.write(`${clearLine}${`${done}/${total} ${id} ${title}`.slice(0, columns - 1)}`);
    },
    wait: (delayMs: number, reason: string) => {
      if (!stderr.isTTY) return;
      const text = `waiting ${Math.ceil(delayMs / 1000)} s: ${reason}`;
      stderr.write(clearLine + text.slice(0, (stderr.columns || 80) - 1));
    },
    clear: () => {
      if (stderr.isTTY) stderr.write(clearLine);
    },
  };
}
