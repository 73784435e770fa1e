import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createPasswords } from '../../server/auth/passwords.ts';
import { UsageError } from '../../server/usage-error.ts';
import { buildStaleApps } from '../../tools/built-app.ts';
import { readCommandLine, selectNamesOrExit } from '../../tools/command-line.ts';
import { errorLines, printResult, root } from '../../tools/run.ts';
import { CookieClient } from '../../tests/support/cookie-client.ts';
import { cheapestCost, startReferenceServer } from '../../tests/support/reference-server.ts';
import { assertInstalled, startDesktop } from './desktop.ts';
import { email, password, stories, type Step, type Story } from './stories.ts';
import { differences } from './transcript.ts';

const longerThanASession = 31 * 24 * 60 * 60 * 1000;

/** Starts a server with the story's account, which does what a step says of it. */
async function startServer({ projects }: Story) {
  let clockLeadMs = 0;
  let gate = Promise.withResolvers<void>();
  gate.resolve();
  const passwords = createPasswords(cheapestCost);
  const server = await startReferenceServer({
    dist: `${root}dist`,
    now: () => Date.now() + clockLeadMs,
    passwords: {
      ...passwords,
      hash: (text) => gate.promise.then(() => passwords.hash(text)),
    },
  });
  if (projects !== undefined) {
    const client = await new CookieClient(server.origin, { email, password }).signUp();
    for (let number = 1; number <= projects; number += 1) {
      // One after the other, because the list has the order of creation.
      // oxlint-disable-next-line no-await-in-loop
      await client.createProject({ title: `Project ${number}`, description: `Text ${number}` });
    }
  }
  const actions: Record<Extract<Step, { server: string }>['server'], () => void> = {
    hold: () => (gate = Promise.withResolvers()),
    release: () => gate.resolve(),
    'expire sessions': () => (clockLeadMs = longerThanASession),
  };
  return { ...server, actions };
}

/** Returns each step of a story with what Orca said, one line each. */
async function record(story: Story): Promise<string> {
  const server = await startServer(story);
  try {
    const desktop = await startDesktop(`${server.origin}/#${story.path}`);
    try {
      const lines: string[] = [];
      const perform = async (steps: Step[]) => {
        for (const step of steps) {
          // oxlint-disable no-await-in-loop
          const [kind, text] = Object.entries(step)[0]!;
          lines.push(`[${kind} ${text}]`);
          if ('press' in step) await desktop.press(step.press);
          else if ('type' in step) await desktop.type(step.type);
          else server.actions[step.server]();
          await ('until' in step && step.until ? desktop.hear(step.until) : desktop.idle());
          // oxlint-enable no-await-in-loop
          const said = desktop.said();
          // How Orca groups the characters depends on the speed of typing.
          if (!('type' in step)) lines.push(...said);
        }
      };
      await perform(story.before ?? []);
      desktop.said();
      lines.length = 0;
      await perform(story.steps).catch((error: Error) => {
        throw new Error(`${error.message}\n${lines.join('\n')}`);
      });
      return `${lines.join('\n')}\n`;
    } finally {
      await desktop.stop();
    }
  } finally {
    await server.stop();
  }
}

async function main(): Promise<boolean> {
  const { options, words } = readCommandLine(
    `Usage: npm run node -- nightly/screen-reader/main.ts [--update] [WORD…]

Lets the screen reader Orca read the app in Firefox, and compares what it says with
docs/screen-reader/. A WORD selects stories by a part of their name.

  --update  write what Orca says to docs/screen-reader/

Exit code 1: Orca said something else, or a story could not be recorded.`,
    { options: ['update'], words: true },
  );
  const isUpdate = options.has('update');
  const selected = selectNamesOrExit(Object.keys(stories), words);
  assertInstalled();
  const buildProblems = await buildStaleApps();
  if (buildProblems.length > 0) throw new UsageError(buildProblems.join('\n'));
  const folder = `${root}docs/screen-reader`;
  mkdirSync(folder, { recursive: true });
  let hasFailed = false;
  for (const name of selected) {
    const file = `${folder}/${name}.txt`;
    const compare = async () => {
      // oxlint-disable-next-line no-await-in-loop
      const transcript = await record(stories[name]!);
      if (isUpdate) writeFileSync(file, transcript);
      return differences(readFileSync(file, 'utf8'), transcript);
    };
    // oxlint-disable-next-line no-await-in-loop
    const problems = await compare().catch(errorLines);
    printResult(name, problems);
    if (problems.length > 0) hasFailed = true;
  }
  if (hasFailed && !isUpdate) {
    console.log('If what was said is right, run this again with --update.');
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
