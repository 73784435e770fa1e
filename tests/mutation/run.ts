/**
 * `npm run test:mutants`: makes one fault at a time in a copy of the project and runs the tests on it, until one notices.
 * Prints how many faults were noticed, and names those that were not. Every one of those is explained in `survivors.ts`, or this
 * fails. Words after the command choose faults by their names: `npm run test:mutants -- machines/auth`.
 */
import {
  cpSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { createVitest, type TestSpecification } from 'vitest/node';
import { failureIn, failuresOfMany } from './run-mutants.ts';
import { faulty, mutantsOf, type Mutant } from './mutators.ts';
import { handpicked, type Handpicked } from './manual-mutants.ts';
import { survivors } from './accepted-survivors.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const copy = mkdtempSync(join(tmpdir(), 'mutants-'));
const own = [
  'conformance',
  'docs',
  'machines',
  'src',
  'generated',
  'public',
  'server',
  'tests',
  'tools',
  'index.html',
  'vite.config.ts',
  'package.json',
  'openapi.yaml',
  'tsconfig.json',
];
for (const path of own) cpSync(join(root, path), join(copy, path), { recursive: true });
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
process.chdir(copy);

/** What styles look like is no matter of small changes: `handpicked.ts` has those that somebody would notice. */
const files = globSync(['machines/*.ts', 'src/**/*.{ts,tsx}'])
  .filter((file) => !/\.css\.ts$|\/types\.ts$|^src\/main\.tsx$/.test(file))
  .toSorted();

const vitest = await createVitest('test', {
  root: copy,
  config: join(copy, 'vite.config.ts'),
  project: ['node', 'jsdom'],
  watch: false,
  bail: 1,
  reporters: [{}],
  maxWorkers: 2,
  pool: 'threads',
  // What was loaded before the next fault was made must not be used again.
  isolate: true,
  env: { WALKS: '8' },
  // Many a fault makes a test wait for what never comes.
  testTimeout: 15_000,
});
/** That a hand-picked fault is no longer one of the source is what its test says of every fault made there. */
const tests = (await vitest.globTestSpecifications()).filter(
  ({ moduleId }) => !moduleId.endsWith('/house/handpicked.test.ts'),
);

// Right in the folder: what is in model/outside needs a server and is too slow to be asked about each fault.
const of = (...folders: string[]) =>
  tests.filter(({ moduleId }) =>
    folders.some((folder) => dirname(moduleId).endsWith(`/tests/${folder}`)),
  );
const inBrowser = (name: string) =>
  of('browser').filter(({ moduleId }) => moduleId.endsWith(`/${name}.test.ts`));

/** What is at work before the app, which the tests of the screens know nothing of. */
const isBefore = (file: string) => /main|prerender|lazy-screens/.test(file);

/** Of a long list most is layout, which jsdom does not have. */
const isWindow = (file: string) => /use-virtual-rows|block-offsets/.test(file);

/** What people see is asked of the tests of the screens, for all faults at once, and only then of these. */
const isSeen = (file: string) => !/^(machines|src\/api|src\/actors)/.test(file);

const stagesOfSeen = (file: string) => {
  if (isBefore(file)) return [inBrowser('prerender'), inBrowser('appearance')];
  if (isWindow(file)) return [inBrowser('virtual-list')];
  if (/app\.tsx|router/.test(file))
    return [of('model'), inBrowser('prerender'), inBrowser('appearance')];
  return [
    ...(file.includes('project-list') ? [inBrowser('virtual-list')] : []),
    inBrowser('appearance'),
  ];
};

/** The quick tests first: most faults go no further. */
const stages = (file: string): TestSpecification[][] =>
  isSeen(file)
    ? [of('house'), ...stagesOfSeen(file)]
    : [of('machines', 'api'), of('model'), of('screens')];

/** How many faults of a file were noticed by which file of tests. */
const noticedBy = new Map<string, number>();
let noticed = 0;
const unnoticed: string[] = [];
/** Files of tests that passed while there was no fault. */
const trusted = new Set<string>();
try {
  const wanted = process.argv.slice(2);
  const faults = [...files.flatMap(mechanical), ...handpicked.map(byHand)].filter(
    ({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)),
  );
  const report = ({ name }: Mutant, failure: string | undefined) => {
    if (failure) noticed++;
    else unnoticed.push(name);
    console.log(`${failure ? 'killed  ' : 'SURVIVED'} ${name}${failure ? `  (${failure})` : ''}`);
  };

  const seen = faults.filter(
    ({ file }) => isSeen(file) && !isBefore(file) && !file.endsWith('.css.ts'),
  );
  const left = new Set(faults);
  await failuresOfMany(
    copy,
    (file) => globSync(`tests/screens/${isWindow(file) ? 'long-lists' : '*'}.test.tsx`).toSorted(),
    seen,
    (fault, failure) => {
      if (!failure) return;
      left.delete(fault);
      report(fault, failure);
    },
  );

  for (const fault of left) {
    const { file } = fault;
    const path = join(copy, file);
    const source = readFileSync(path, 'utf8');
    writeFileSync(path, faulty(source, fault));
    vitest.invalidateFile(path);
    const by = await firstFailure(file);
    writeFileSync(path, source);
    vitest.invalidateFile(path);
    if (by?.module && !trusted.has(by.module)) {
      const again = tests.filter(({ moduleId }) => moduleId === by.module);
      // Once may be a machine that was too busy.
      const wrong = (await run(again)) && (await run(again));
      if (wrong) throw new Error(`Without any fault this fails as well: ${wrong.failure}`);
      trusted.add(by.module);
    }
    report(fault, by?.failure);
  }

  const unexplained = unnoticed.filter((name) => !(name in survivors));
  console.log(
    `\n${faults.length} tried · ${noticed} killed · ${unnoticed.length} survived · ${unnoticed.length - unexplained.length} explained`,
  );
  for (const name of unnoticed) console.log(`${survivors[name] ?? 'NOT EXPLAINED'}: ${name}`);
  const names = faults.map(({ name }) => name);
  const outdated = Object.keys(survivors).filter(
    (name) => wanted.length === 0 && !(names.includes(name) && unnoticed.includes(name)),
  );
  for (const name of outdated) console.log(`EXPLAINED, AND NO SURVIVOR: ${name}`);
  process.exitCode = unexplained.length + outdated.length > 0 ? 1 : 0;
  await vitest.close();
} finally {
  process.chdir(root);
  rmSync(copy, { recursive: true, force: true });
}

type Failure = { failure: string; module?: string };

/** The first test that fails, or nothing. */
async function firstFailure(file: string): Promise<Failure | undefined> {
  const likely = likeliest(file);
  const batches = [
    likely ? [likely] : [],
    ...stages(file).map((stage) => stage.filter((test) => test !== likely)),
  ];
  for (const batch of batches.filter(({ length }) => length > 0)) {
    const failed = await run(batch);
    if (!failed) continue;
    const key = `${file} ${failed.module}`;
    noticedBy.set(key, (noticedBy.get(key) ?? 0) + 1);
    return failed;
  }
  return undefined;
}

/** The file of tests that noticed most faults of this file so far; at first the one that has its name. */
function likeliest(file: string): TestSpecification | undefined {
  const name = basename(file).replace(/\..*$/, '');
  const times = ({ moduleId }: TestSpecification) =>
    noticedBy.get(`${file} ${moduleId}`) ?? (basename(moduleId).startsWith(`${name}.`) ? 0.5 : 0);
  const [first] = stages(file)
    .flat()
    .toSorted((one, other) => times(other) - times(one));
  return first && times(first) > 0 ? first : undefined;
}

async function run(batch: TestSpecification[]): Promise<Failure | undefined> {
  if (batch.some((test) => of('browser').includes(test))) {
    // Vitest has it say "test", which would have Vite build what is for developers.
    const { NODE_ENV } = process.env;
    process.env['NODE_ENV'] = 'production';
    try {
      await build({ logLevel: 'silent' });
    } catch {
      return { failure: 'the build' };
    } finally {
      process.env['NODE_ENV'] = NODE_ENV;
    }
  }
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(batch);
  for (const module of testModules) {
    const failure = failureIn(module);
    if (failure) return { failure, module: module.moduleId };
  }
  return unhandledErrors.length > 0 ? { failure: 'an error outside the tests' } : undefined;
}

function mechanical(file: string): Mutant[] {
  return mutantsOf(file, readFileSync(join(copy, file), 'utf8'));
}

function byHand({ file, what, from, to }: Handpicked): Mutant {
  const source = readFileSync(join(copy, file), 'utf8');
  const start = source.indexOf(from);
  if (start === -1) throw new Error(`${file} has no ${JSON.stringify(from)}.`);
  return { file, name: `${file}: ${what}`, start, end: start + from.length, text: to };
}
