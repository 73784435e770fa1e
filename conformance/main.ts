import { checks } from './checks/all.ts';
import { help, parseArguments, version, type RunSettings } from './cli.ts';
import { truncate } from './describe.ts';
import { createRunId } from './fixtures.ts';
import { createReport, deletionHint } from './report/create-report.ts';
import { prepareFolder, writeReports } from './report/files.ts';
import { renderTerminal } from './report/terminal.ts';
import { viewOf } from './report/summary.ts';
import { run } from './run.ts';
import { checkReachable, parseTarget } from './target.ts';

// The reader of a pipe may end early, as head does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await main(process.argv.slice(2));

/** Runs the command. Returns its exit code. */
async function main(args: string[]): Promise<number> {
  const command = parseArguments(
    args,
    checks.map(({ id }) => id),
  );
  if (command.kind === 'run') return runCommand(command.settings);
  if (command.kind === 'invalid') {
    for (const error of [...command.errors, 'See --help.']) console.error(error);
    return 2;
  }
  const list = checks.map(
    ({ id, level, title, statements }) =>
      `${id.padEnd(11)} ${level.padEnd(7)} ${title} [${statements.join(', ')}]`,
  );
  console.log({ help, version, list: list.join('\n') }[command.kind]);
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
    console.error(`Stopped early. What was created so far stays. ${deletionHint(runId)}`);
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
  const report = createReport(result, [...target.notes, ...connection.notes]);
  const files =
    settings.reportFolder === undefined
      ? []
      : writeReports(settings.reportFolder, report, result.context.screenshots);
  const colors = process.stdout.isTTY && !process.env['NO_COLOR'];
  process.stdout.write(renderTerminal(report, { verbose: settings.verbose, colors, files }));
  return viewOf(report).isOk ? 0 : 1;
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
