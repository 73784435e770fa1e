import { expect, test } from 'vitest';
import { changelogProblems, withHashes } from '../../tools/changelog.ts';

const changelog = withHashes(
  '# Changelog\n\n## Unreleased\n\n- A line.\n\n## 0.2.0 — 2027-01-31\n\n- Two.\n\n## 0.1.0\n\n- One.\n',
);

test('accepts a new line below "Unreleased"', () => {
  expect(changelogProblems(changelog)).toEqual([]);
  expect(changelogProblems(changelog.replace('A line', 'Another line'))).toEqual([]);
});

test.each([
  ['a changed line', 'Two', 'Three'],
  ['a new line', '- One.\n', '- One.\n- More.\n'],
  ['a changed date', '2027-01-31', '2027-02-01'],
])('refuses %s in a released version', (_case, before, after) => {
  expect(changelogProblems(changelog.replace(before, after))).toEqual([
    expect.stringContaining('is released: undo its change, and write below Unreleased'),
  ]);
});

test('asks for "Unreleased", and for the hash of a new version', () => {
  const text = changelog.replace('## Unreleased\n\n- A line.\n\n', '');
  expect(changelogProblems(text)).toEqual([
    'CHANGELOG.md must start with a section "## Unreleased"',
  ]);
  expect(changelogProblems(changelog.replace(/ <!-- \w+ -->/, ''))).toEqual([
    expect.stringContaining('"0.2.0 — 2027-01-31" has no hash'),
  ]);
  expect(withHashes(changelog.replace(/ <!-- \w+ -->/, ''))).toBe(changelog);
});

test('does not replace a hash that is wrong', () => {
  const changed = changelog.replace('Two', 'Three');
  expect(withHashes(changed)).toBe(changed);
});
