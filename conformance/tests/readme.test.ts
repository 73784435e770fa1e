import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checks } from '../checks/all.ts';
import { parseArguments, version } from '../command/options.ts';

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

test('the workflow to copy runs this version of the kit, and writes its report to a folder', () => {
  const workflow = readFileSync('conformance/examples/github-action.yml', 'utf8');
  const [, ofWorkflow] = /tracker-conformance@([\d.]+)/.exec(workflow)!;
  expect(version.startsWith(ofWorkflow!)).toBe(true);
  const [args] = kitCommands(workflow.replace('"$BACKEND"', 'http://localhost:8080'));
  const parsed = parseArguments(args!, checkIds);
  expect(parsed).toMatchObject({ kind: 'run', settings: { reportFolder: 'conformance-report' } });
  expect(readme).toContain('examples/github-action.yml');
});
