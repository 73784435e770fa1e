import { readdirSync, readFileSync } from 'node:fs';
import { parseYaml } from '@redocly/openapi-core';
import { expect, test } from 'vitest';
import { checks } from '../../conformance/checks/all.ts';
import { help, parseArguments, version } from '../../conformance/cli.ts';

type Step = {
  uses?: string;
  run?: string;
  if?: string;
  with?: { [name: string]: string | number };
};
type Workflow = { jobs: { [name: string]: { env: object; steps: Step[] } } };

const readme = readFileSync('conformance/README.md', 'utf8');
const checkIds = checks.map(({ id }) => id);

/** Returns the arguments of each command that runs the kit. */
const kitCommands = (text: string) =>
  [
    ...text.matchAll(
      /(?:npx (?:--yes )?tracker-conformance(?:@\S+)?|npm run conformance --) ([^\n`]+)/g,
    ),
  ]
    .map(([, args]) => args!.split(' '))
    .filter(([first]) => first !== '\\');

test('every command of the README has arguments that the kit accepts', () => {
  const commands = kitCommands(readme);
  expect(commands.length).toBeGreaterThan(2);
  for (const args of commands)
    expect([args, parseArguments(args, checkIds)]).toEqual([
      args,
      expect.objectContaining({ kind: 'run' }),
    ]);
});

test('the report that the README begins with has ids and titles of the kit', () => {
  const titles = [
    ...readme.matchAll(/^(?:MUST|SHOULD) not met: ([A-Z]+-\d+).*? {2}(.+?)(?: {2}|$)/gm),
  ];
  expect(titles.length).toBeGreaterThan(1);
  for (const [, id, title] of titles)
    expect(checks.find((check) => check.id === id)?.title).toBe(title);
});

test('the README names every option and exit code of --help', () => {
  const options = [...help.matchAll(/^ {2}(--\w+)/gm)].map(([, option]) => option!);
  expect(options.length).toBeGreaterThan(7);
  const table = readme.split('## Options')[1]!.split('\n## ')[0]!;
  for (const option of options) expect(table).toContain(`\`${option}`);
  for (const option of table.match(/--\w+/g)!) expect(options).toContain(option);
  const codes = [...help.split('Exit codes:')[1]!.matchAll(/^ {2}(\d+)/gm)].map(([, code]) => code);
  expect([...table.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => code)).toEqual(codes);
});

test('the table of code in the README names every file and folder of the kit', () => {
  const table = readme.split('## Code')[1]!;
  const names = readdirSync('conformance', { withFileTypes: true })
    .filter(({ name }) => !['README.md', 'package.json', 'dist'].includes(name))
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
  expect(names.length).toBeGreaterThan(10);
  const missing = names.filter((name) => !table.includes(`\`${name}\``));
  expect(missing).toEqual([]);
});

test('the workflow to copy runs this version of the kit, and keeps the report of a failed run', () => {
  const source = readFileSync('conformance/examples/github-action.yml', 'utf8');
  const { jobs } = parseYaml(source) as Workflow;
  const [job] = Object.values(jobs);
  const { steps, env } = job!;
  const command = steps
    .map(({ run = '' }) => run)
    .find((run) => run.includes('tracker-conformance'))!;
  expect(version.startsWith(/@([\d.]+)/.exec(command)![1]!)).toBe(true);
  const [args] = kitCommands(command.replace('"$BACKEND"', (env as { BACKEND: string }).BACKEND));
  const parsed = parseArguments(args!, checkIds);
  expect(parsed).toMatchObject({ kind: 'run', settings: { reportFolder: 'conformance-report' } });
  const reports = steps.filter(({ with: inputs = {} }) =>
    Object.values(inputs).some((value) => String(value).startsWith('conformance-report')),
  );
  expect(reports.map(({ if: condition }) => condition)).toEqual(['always()', 'always()']);
  expect(readme).toContain('examples/github-action.yml');
});

test('the workflow to copy has the versions of the own workflows', () => {
  const own = readdirSync('.github/workflows')
    .map((name) => readFileSync(`.github/workflows/${name}`, 'utf8'))
    .join('\n');
  const source = readFileSync('conformance/examples/github-action.yml', 'utf8');
  const actions = [...source.matchAll(/uses: (actions\/\S+)/g)].map(([, action]) => action!);
  expect(actions.length).toBe(3);
  for (const action of actions) expect(own).toContain(`uses: ${action}\n`);
  expect(source.match(/uses: \S+/g)!.filter((uses) => !/@v\d+$/.test(uses))).toEqual([]);
});
