import { UsageError } from '../../shared/usage-error.ts';
import { buildStaleApps } from '../../tools/built-app.ts';
import { readCommandLine, selectNamesOrExit } from '../../tools/command-line.ts';
import { errorLines, printResult, root } from '../../tools/run.ts';
import { CookieClient } from '../../testing/cookie-client.ts';
import { startReferenceServer } from '../../testing/reference-server.ts';
import { assertInstalled, startDesktop } from './desktop.ts';
import { email, password, stories, type Step } from './stories.ts';

const longerThanASession = 31 * 24 * 60 * 60 * 1000;

/** Throws an error that says which expectation of a story Orca did not meet. */
async function perform(steps: Step[]): Promise<void> {
  let clockLeadMs = 0;
  const server = await startReferenceServer({
    dist: `${root}dist`,
    now: () => Date.now() + clockLeadMs,
  });
  try {
    await new CookieClient(server.origin, { email, password }).signUp();
    const desktop = await startDesktop(`${server.origin}/#/login`);
    try {
      for (const step of steps) {
        // oxlint-disable no-await-in-loop
        if ('press' in step) await desktop.press(step.press, step.says);
        else if ('type' in step) await desktop.type(step.type);
        else clockLeadMs = longerThanASession;
        // oxlint-enable no-await-in-loop
      }
    } finally {
      await desktop.stop();
    }
  } finally {
    await server.stop();
  }
}

async function main(): Promise<boolean> {
  const { words } = readCommandLine(
    `Usage: npm run node -- nightly/screen-reader/main.ts [WORD…]

Lets the screen reader Orca read the app in Firefox, and compares what it says with stories.ts.
A WORD selects stories by a part of their name.

Exit code 1: Orca did not say what a story expects.`,
    { words: true },
  );
  const selected = selectNamesOrExit(Object.keys(stories), words);
  assertInstalled();
  const buildProblems = await buildStaleApps();
  if (buildProblems.length > 0) throw new UsageError(buildProblems.join('\n'));
  let hasFailed = false;
  for (const name of selected) {
    // oxlint-disable-next-line no-await-in-loop
    const problems = await perform(stories[name]!).then(() => [], errorLines);
    printResult(name, problems);
    if (problems.length > 0) hasFailed = true;
  }
  return hasFailed;
}

try {
  process.exitCode = (await main()) ? 1 : 0;
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
