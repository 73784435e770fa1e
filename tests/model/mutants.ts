/**
 * `npm run test:mutants`: makes one fault at a time in a copy of the project and runs the tests on it, until one notices.
 * Prints how many faults were noticed, and names those that were not. Every one of those is explained in `survivors.ts`, or this
 * fails. Words after the command choose faults by their names: `npm run test:mutants -- machines/auth`.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createVitest, type TestModule, type Vitest } from 'vitest/node';
import { mutantsOf, type Mutant } from './mutations.ts';
import { handpicked, type Handpicked } from './handpicked.ts';
import { survivors } from './survivors.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const files = [
  'machines/auth.ts',
  'machines/projects.ts',
  'src/actors.ts',
  'src/app.tsx',
  'src/api/api.ts',
  'src/api/bodies.ts',
  'src/api/outcome.ts',
  'src/api/xsrf.ts',
  'src/screens/credentials-form.tsx',
  'src/screens/login.tsx',
  'src/screens/projects.tsx',
  'src/screens/register.tsx',
  'src/screens/schemas.ts',
  'src/screens/use-form.ts',
  'src/ui/banner.tsx',
  'src/ui/button.tsx',
  'src/ui/field.tsx',
  'src/ui/form.tsx',
  'src/ui/project-list.tsx',
];

/** The quick tests first: most faults go no further. */
const stages = [['machines', 'api'], ['model'], ['screens']];

const copy = mkdtempSync(join(tmpdir(), 'mutants-'));
const own = [
  'machines',
  'src',
  'generated',
  'server',
  'tests',
  'tools',
  'vite.config.ts',
  'package.json',
  'openapi.yaml',
  'tsconfig.json',
];
for (const path of own) cpSync(join(root, path), join(copy, path), { recursive: true });
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
process.chdir(copy);

let noticed = 0;
const unnoticed: string[] = [];
try {
  const runs = await Promise.all(stages.map(prepare));
  const wrong = await firstFailure(runs);
  if (wrong) throw new Error(`Without any fault the tests fail: ${wrong}`);

  const wanted = process.argv.slice(2);
  const faults = [...files.flatMap(mechanical), ...handpicked.map(byHand)].filter(
    ({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)),
  );
  for (const { file, name, start, end, text } of faults) {
    const path = join(copy, file);
    const source = readFileSync(path, 'utf8');
    writeFileSync(path, source.slice(0, start) + text + source.slice(end));
    for (const { vitest } of runs) vitest.invalidateFile(path);
    const by = await firstFailure(runs);
    writeFileSync(path, source);
    for (const { vitest } of runs) vitest.invalidateFile(path);
    if (by) noticed++;
    else unnoticed.push(name);
    console.log(`${by ? 'killed  ' : 'SURVIVED'} ${name}${by ? `  (${by})` : ''}`);
  }

  console.log(`\n${noticed}/${faults.length} killed`);
  const unexplained = unnoticed.filter((name) => !(name in survivors));
  for (const name of unnoticed) console.log(`${survivors[name] ?? 'NOT EXPLAINED'}: ${name}`);
  const names = faults.map(({ name }) => name);
  const outdated = Object.keys(survivors).filter(
    (name) => wanted.length === 0 && !(names.includes(name) && unnoticed.includes(name)),
  );
  for (const name of outdated) console.log(`EXPLAINED, AND NO SURVIVOR: ${name}`);
  process.exitCode = unexplained.length + outdated.length > 0 ? 1 : 0;
  await Promise.all(runs.map(({ vitest }) => vitest.close()));
} finally {
  process.chdir(root);
  rmSync(copy, { recursive: true, force: true });
}

type Run = {
  vitest: Vitest;
  specifications: Awaited<ReturnType<Vitest['globTestSpecifications']>>;
};

async function prepare(project: string[]): Promise<Run> {
  const vitest = await createVitest('test', {
    root: copy,
    config: join(copy, 'vite.config.ts'),
    project,
    watch: false,
    bail: 1,
    reporters: [{}],
    maxWorkers: 2,
    env: { WALKS: '8' },
  });
  const specifications = await vitest.globTestSpecifications();
  return {
    vitest,
    // What needs a browser or a server is too slow to be asked about each fault.
    specifications: specifications.filter(
      ({ moduleId }) => !/\/(browser|http)\.test/.test(moduleId),
    ),
  };
}

/** The first test that fails, or nothing. */
async function firstFailure(runs: Run[]): Promise<string | undefined> {
  for (const { vitest, specifications } of runs) {
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
    const failure = testModules.map(failureIn).find((name) => name !== undefined);
    if (failure) return failure;
    if (unhandledErrors.length > 0) return 'an error outside the tests';
  }
  return undefined;
}

function failureIn(module: TestModule): string | undefined {
  for (const test of module.children.allTests('failed')) return test.fullName;
  return module.state() === 'failed' ? module.relativeModuleId : undefined;
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
