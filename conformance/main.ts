import { parseArguments, help } from './cli.ts';
import { checks } from './checks/all.ts';
import { folderFault, writeReports } from './report/files.ts';
import { createReport } from './report/create-report.ts';
import { renderTerminal } from './report/terminal.ts';
import { createRunId } from './fixtures.ts';
import { exitCodeOf, run } from './run.ts';
import { checkReachable, parseTarget } from './target.ts';

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const asked = parseArguments(
    args,
    checks.map(({ id }) => id),
  );
  if (asked.does === 'help') {
    process.stdout.write(help);
    return 0;
  }
  if (asked.does === 'list') {
    for (const { id, level, title, statements } of checks) {
      console.log(`${id.padEnd(11)} ${level.padEnd(7)} ${title} [${statements.join(', ')}]`);
    }
    return 0;
  }
  if (asked.does === 'refuse') {
    for (const mistake of asked.errors) console.error(mistake);
    console.error('--help tells how it is used.');
    return 2;
  }

  const { settings } = asked;
  const target = parseTarget(settings.address);
  if ('mistake' in target) {
    console.error(target.mistake);
    return 2;
  }
  const folder = settings.report ?? (settings.ui ? 'conformance-report' : undefined);
  const fault = folder === undefined ? undefined : folderFault(folder);
  if (fault !== undefined) {
    console.error(fault);
    return 2;
  }
  const reached = await checkReachable(target.origin);
  if ('unreachable' in reached) {
    console.error(reached.unreachable);
    return 3;
  }
  for (const note of [...target.notes, ...reached.notes]) console.log(note);

  let ui;
  if (settings.ui) {
    const { prepareScreens } = await import('./ui/prepare.ts');
    const prepared = await prepareScreens(folder!);
    if ('missing' in prepared) {
      console.error(prepared.missing);
      return 2;
    }
    ui = prepared;
  }
  const progress = createProgress();
  const mark = createRunId();
  process.once('SIGINT', () => {
    progress.end();
    console.error(`Stopped before the end. Whatever it made stays there, with "${mark}" in it.`);
    process.exit(130);
  });
  const done = await run({
    origin: target.origin,
    runId: mark,
    only: settings.only,
    seed: settings.seed,
    appOrigin: settings.origin,
    ui,
    onProgress: progress.show,
  });
  progress.end();
  const report = createReport(done);
  const colours = process.stdout.isTTY && !process.env['NO_COLOR'];
  process.stdout.write(renderTerminal(report, { verbose: settings.verbose, colours }));
  if (settings.report !== undefined) {
    console.log(
      `Reports: ${writeReports(settings.report, report, done.context.screenshots).join(', ')}`,
    );
  }
  return exitCodeOf(done);
}

/** One line that is written over, on a terminal; nothing anywhere else. */
function createProgress() {
  const { stderr } = process;
  return {
    show: (done: number, of: number, { id, title }: { id: string; title: string }) => {
      if (stderr.isTTY)
        stderr.write(
          `\r\u001B[2K${done}/${of} ${id} ${title}`.slice(0, (stderr.columns || 80) + 4),
        );
    },
    end: () => {
      if (stderr.isTTY) stderr.write('\r\u001B[2K');
    },
  };
}
