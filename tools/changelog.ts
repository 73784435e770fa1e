/**
 * The heading of each released version in CHANGELOG.md ends with a hash of its section, because
 * users have read it: a later change goes below "Unreleased". It needs no history of Git.
 *
 * `npm run node -- tools/changelog.ts` adds the hash to each heading that has none.
 */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { root } from './run.ts';

const file = `${root}CHANGELOG.md`;

/** The parts of a section. The mark is not part of what is hashed. */
const sectionPattern = /^## (?<title>.+?)(?: <!-- (?<hash>\w+) -->)?\n(?<body>.*)$/s;

function readSection(section: string) {
  const { title = '', hash, body = '' } = sectionPattern.exec(section)!.groups!;
  const digest = createHash('sha256').update(`${title}\n${body.trim()}`).digest('hex');
  return { title, hash, body, expectedHash: digest.slice(0, 12) };
}

/** Returns the text before the first section, and the sections. */
const splitChangelog = (text: string) => text.split(/^(?=## )/m);

/** Returns one line for each released section that was changed, and for a missing "Unreleased". */
export function changelogProblems(text: string): string[] {
  const [first, ...released] = splitChangelog(text).slice(1).map(readSection);
  return [
    ...(first?.title === 'Unreleased'
      ? []
      : ['CHANGELOG.md must start with a section "## Unreleased"']),
    ...released
      .filter(({ hash, expectedHash }) => hash !== expectedHash)
      .map(({ title, hash }) =>
        hash === undefined
          ? `CHANGELOG.md: "${title}" has no hash: run "npm run node -- tools/changelog.ts"`
          : `CHANGELOG.md: "${title}" is released: undo its change, and write below Unreleased`,
      ),
  ];
}

/** Returns the text with a hash in each heading of a released version that has none. */
export function withHashes(text: string): string {
  const [start = '', ...sections] = splitChangelog(text);
  const marked = sections.map((section) => {
    const { title, hash, body, expectedHash } = readSection(section);
    const isOpen = title === 'Unreleased' || hash !== undefined;
    return isOpen ? section : `## ${title} <!-- ${expectedHash} -->\n${body}`;
  });
  return [start, ...marked].join('');
}

export const staleChangelog = async () => changelogProblems(await readFile(file, 'utf8'));

if (import.meta.main) await writeFile(file, withHashes(await readFile(file, 'utf8')));
