/** Plants mistakes in a copy of the project: each must be named, with its place. */
import { appendFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { copyProject } from '../../testing/project-copy.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { testFiles } from '../../tools/run.ts';
import { startProgram } from '../../tools/start-program.ts';

/** The steps share the cores with all other tests. */
const checkTimeoutMs = 1_800_000;

const types = 'lint and types';
const contract = 'contract and generated';
const unitTest = 'tests/unit/contrast.test.ts';
const serverTest = 'server/tests/unit/turns.test.ts';
const kitTest = 'conformance/tests/order.test.ts';
const wrongMeta = "machines.auth.states.loggingIn.on.registerUser[0].meta.statements = ['P-3'];";
const numbers = Array.from({ length: 1_000 }, (_, i) => Math.sin(i)).join();

/** A mistake is appended to a file. FILE and LINE are its place in what the step prints of it. */
const mistakes: [step: string, file: string, mistake: string, ...printed: string[]][] = [
  [types, 'src/draft.ts', 'Promise.resolve();', 'no-floating-promises', 'FILE:LINE:'],
  [types, 'server/main.ts', '(0 as number).length;', 'TS2339', 'FILE:LINE:'],
  [types, 'machines/types.ts', 'Date.now();', 'no-restricted-globals', 'FILE:LINE:'],
  [types, unitTest, 'test.skip("planted", f);', 'no-disabled-tests', 'FILE:LINE:'],
  [types, unitTest, 'test.runIf(2 > 1)("planted", f);', 'restricted-properties', 'FILE:LINE:'],
  [types, serverTest, 'test.skipIf(1 > 2)("planted", f);', 'restricted-properties', 'FILE:LINE:'],
  [types, kitTest, 'test.runIf(2 > 1)("planted", f);', 'restricted-properties', 'FILE:LINE:'],
  [types, unitTest, 'test.todo("planted");', 'warn-todo', 'FILE:LINE:'],
  [types, unitTest, 'test.only("planted", f);', 'no-focused-tests', 'FILE:LINE:'],
  [types, unitTest, 'test("planted", () => {});', 'expect-expect', 'FILE:LINE:'],
  [types, unitTest, '() => { return; expect(1); };', 'no-unreachable', 'FILE:LINE:'],
  ['imports', 'machines/types.ts', "import '../src/session.ts';", 'FILE → src/session.ts'],
  [
    'imports',
    'conformance/http/clock.ts',
    "import type {} from '../report/junit.ts';",
    'FILE → conformance/report',
  ],
  ['unused code', 'src/session.ts', 'export const planted = 1;', 'planted', 'FILE:LINE:'],
  [contract, 'openapi.yaml', '    Stale: { description: Planted. }', 'api.d.ts is stale: run'],
  [contract, 'openapi.yaml', '    Unused: { description: P. }', 'FILE:LINE:', 'unused-component'],
  ['specification', 'docs/specification.md', '- **P-1** Text.', 'FILE:LINE: no test carries P-1'],
  ['specification', unitTest, "test('<P-2]', f);", 'FILE:LINE: unknown statement P-2'],
  ['specification', 'machines/all.ts', wrongMeta, 'registerUser: unknown statement P-3'],
  ['lockfile', 'package-lock.json', '"resolved": "https://a/"', 'FILE:LINE names a download host'],
  ['links', 'SECURITY.md', '[planted](nowhere.md)', 'FILE', 'LINE:1-', 'Cannot find file'],
  ['format', 'tools/run.ts', 'if (root)  void root;', 'FILE ('],
  ['size', 'src/screens/home.tsx', `console.log(${numbers});`, 'set acceptedBytes in tools/bundle'],
];

describe('npm run check', () => {
  const { folder } = copyProject(afterAll);
  const places = mistakes.map(([, file, mistake]) => {
    // "<" stands for the bracket, otherwise the id would be one of this file.
    appendFileSync(join(folder, file), `\n${mistake.replace('<', '[')}\n`);
    return { file, line: readFileSync(join(folder, file), 'utf8').split('\n').length - 1 };
  });
  let code: number | null;
  let printed: string;
  beforeAll(async () => {
    ({ code, output: printed } = await run(folder, ['npm', 'run', 'check']));
  }, checkTimeoutMs);

  test.each(mistakes.map(([step, name, , ...texts], row) => ({ step, name, texts, row })))(
    '$step fails at $name with $texts',
    ({ step, texts, row }) => {
      const { file, line } = places[row]!;
      const wanted = texts.map((text) => text.replace('FILE', file).replace('LINE', `${line}`));
      const [, problems = ''] = printed.split(new RegExp(`^FAIL ${step} .*\n((?: .*\n)*)`, 'm'));
      const isNamed = problems
        .split(/\n *\n| x (?=[a-z]+\()/)
        .some((problem) => wanted.every((text) => problem.includes(text)));
      expect(isNamed, `${wanted.join(' ')} in:\n${problems}`).toBe(true);
      expect(code, 'the exit code').toBe(1);
    },
  );
});

test('npm test names each test that was not run, and each file without a project', async () => {
  const { folder, edit } = copyProject();
  for (const file of globSync(testFiles, { cwd: folder })) rmSync(join(folder, file));
  edit('tools/check.ts', () => 'export const check = async () => [];');
  mkdirSync(join(folder, 'tests/unknown'));
  const imports = "import { expect, test } from 'vitest';\n";
  const body = '() => {\nif (1 < 2) return;\nexpect(1).toBe(1);\n}';
  for (const [file, code] of Object.entries({
    'unit/option.test.ts': `${imports}test('a', { skip: true }, ${body});`,
    'unit/context.test.ts': `${imports}test('b', ({ skip }) => skip());`,
    'unit/return.test.ts': `${imports}test('c', ${body});`,
    'unit/throws.test.ts': "throw new Error('d');",
    'unit/fails.test.ts': `${imports}test('d', () => {\n  expect(\n    1,\n  ).toBe(2);\n});`,
    'unit/passes.test.ts': `${imports}test('e', () => expect(1).toBe(1));`,
    'unit/outside.test.ts': `${imports}test('h', () => expect(1).toBe(1));\nvoid Promise.reject(1);`,
    // With the sign itself, this file would need nginx too.
    'unit/tag.test.ts': `// \u0040module-tag nginx\n${imports}test('f', ${body});`,
    'unknown/g.test.ts': `${imports}test('g', ${body});`,
  }))
    writeFileSync(join(folder, 'tests', file), code);
  const env = { CHROMIUM: '', TRACKER_TEST_ALL: '', PATH: temporaryFolder() };
  const { output, errors, code } = await run(folder, [process.execPath, 'tools/test.ts'], env);
  const lines = `${output}${errors}`.split('\n').map((line) => line.trim());
  expect(lines.filter((line) => /^FAIL|^Assertion|^not run|passed,/.test(line)).toSorted())
    .toMatchInlineSnapshot(`
    [
      "3 passed, 7 failed",
      "AssertionError: expect( 1, ).toBe(2): expected 1 to be 2 // Object.is equality",
      "FAIL  |app:unit| tests/unit/fails.test.ts > d",
      "FAIL  |app:unit| tests/unit/return.test.ts > c",
      "FAIL  |app:unit| tests/unit/throws.test.ts [ tests/unit/throws.test.ts ]",
      "FAIL an error outside the tests, which is printed above",
      "FAIL tests/unit/context.test.ts: "b" was not run",
      "FAIL tests/unit/option.test.ts: "a" was not run",
      "FAIL tests/unit/throws.test.ts failed outside its tests",
      "FAIL tests/unknown/g.test.ts was not run: does it belong to a project of testing/vitest-projects.ts?",
      "not run: tests/unit/tag.test.ts: nginx is not installed",
    ]
  `);
  expect(code).toBe(1);
});

/** The variables by which tools choose colours and the format of their problems. */
const plain = { NO_COLOR: '1', FORCE_COLOR: undefined, CI: undefined, GITHUB_ACTIONS: undefined };

const run = (cwd: string, command: string[], env: NodeJS.ProcessEnv = {}) =>
  startProgram(command, {
    cwd,
    env: { ...process.env, ...plain, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  }).ended;
