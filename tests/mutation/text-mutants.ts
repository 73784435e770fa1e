/** Runs mutants that are texts of their own: a copy of the project is changed and tested. */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createVitest, type TestModule } from 'vitest/node';
import type { Mutant, Result } from './mutant.ts';

/** Which tests judge a file, the fast ones first. The first pattern that matches counts. */
const testsFor: [file: RegExp, ...tests: RegExp[]][] = [
  [/^machines/, /unit\/machines\/(?!statements)/, /model\/(oracle|screens)/, /screens\//],
  [/^server/, /server\/(?!fuzz|process|torture)/],
  [/^src\/(api|actors)/, /unit\/api/, /screens\//, /model\/(responses|screens)/],
  [/main|prerender|lazy-/, /browser\/(prerender|hydration)/, /browser\/appearance/],
  [/use-virtual-rows|block-offsets/, /screens\/long-lists/, /browser\/virtual-list/],
  [/\.css\.ts/, /browser\/appearance/],
  [/error-screens|ui\/field/, /screens\//, /browser\/hydration/],
  [/app\.tsx|router/, /screens\//, /model\/(responses|screens)/, /browser\/prerender/],
  [/./, /screens\//, /model\/(responses|screens)/, /browser\/(appearance|virtual-list)/],
];

export async function runTextMutants(
  mutants: Mutant[],
  report: (result: Result, failure: string) => void,
): Promise<void> {
  const root = process.cwd();
  const copy = mkdtempSync(join(tmpdir(), 'mutants-'));
  const isCopied = (path: string) =>
    !/^(node_modules|\.git|dist|data|docs\/.*png)$/.test(relative(root, path));
  cpSync(root, copy, { recursive: true, filter: isCopied });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  process.chdir(copy);
  // The one of the copy builds the copy.
  const { buildStaleApps } = (await import(
    join(copy, 'tools/built-app.ts')
  )) as typeof import('../../tools/built-app.ts');
  const vitest = await createVitest('test', {
    config: 'tests/mutation/vitest.config.ts',
    watch: false,
    bail: 1,
    pool: 'threads',
    reporters: [{}],
  });
  const tests = await vitest.globTestSpecifications();
  /** Test files that passed without a mutant. */
  const trusted = new Set<string>();

  async function firstFailure(batch: typeof tests): Promise<Failure | undefined> {
    const needsBuild = batch.some(({ moduleId }) => moduleId.includes('/browser/'));
    if (needsBuild && (await buildStaleApps()).length > 0) return { name: 'the build' };
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications(batch);
    const failures = testModules
      // The modules of earlier runs are among them.
      .filter(({ moduleId }) => batch.some((test) => test.moduleId === moduleId))
      .flatMap(failuresIn);
    return failures[0] ?? (unhandledErrors.length > 0 ? { name: 'an unhandled error' } : undefined);
  }

  async function judge({ file, name, start, end, text }: Mutant): Promise<void> {
    const path = join(copy, file);
    const source = readFileSync(path, 'utf8');
    const write = (content: string) => {
      writeFileSync(path, content);
      vitest.invalidateFile(path);
    };
    const [, ...patterns] = testsFor.find(([pattern]) => pattern.test(file))!;
    write(source.slice(0, start) + text + source.slice(end));
    let failure: Failure | undefined;
    for (const pattern of patterns) {
      failure ??= await firstFailure(tests.filter(({ moduleId }) => pattern.test(moduleId)));
    }
    write(source);
    const { module } = failure ?? {};
    if (module && !trusted.has(module)) {
      const again = await firstFailure(tests.filter(({ moduleId }) => moduleId === module));
      if (again) throw new Error(`Fails without a mutant, too: ${again.name}`);
      trusted.add(module);
    }
    report({ name, survived: failure === undefined }, failure?.name ?? '');
  }

  try {
    for (const mutant of mutants) await judge(mutant);
    await vitest.close();
  } finally {
    process.chdir(root);
    rmSync(copy, { recursive: true, force: true });
  }
}

type Failure = { name: string; module?: string };

function failuresIn(module: TestModule): Failure[] {
  const names = [...module.children.allTests('failed')].map(({ fullName }) => fullName);
  if (names.length === 0 && module.state() === 'failed') names.push(module.relativeModuleId);
  return names.map((name) => ({ name, module: module.moduleId }));
}
