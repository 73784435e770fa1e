import { globSync, readFileSync } from 'node:fs';
import { readCommandLine } from '../../tools/command-line.ts';
import { acceptedSurvivors } from './accepted-survivors.ts';
import { chartMutants } from './chart-mutants.ts';
import { manualMutants } from './manual-mutants.ts';
import type { Result } from './mutant.ts';
import { runStryker } from './stryker.ts';
import { runTextMutants } from './text-mutants.ts';

const { words } = readCommandLine(
  `Usage: npm run node -- tests/mutation/run.ts [WORD…]

Changes the app in one place at a time and runs its tests. A mutant is killed if a test fails.
Takes hours. A WORD selects mutants by a part of their name, for example machines/auth.

Exit code 1: a mutant survives that tests/mutation/accepted-survivors.ts does not explain, a mutant
made by hand or an explanation does not apply to the source, or no mutant has a WORD in its name.`,
  { words: true },
);
const isSelected = (name: string) =>
  words.length === 0 || words.some((word) => name.includes(word));

const manual = manualMutants();
const doNotApply = manual.doNotApply.filter(isSelected);
const charts = globSync('machines/*.ts')
  .toSorted()
  .flatMap((file) => chartMutants(file, readFileSync(file, 'utf8')));

const results: Result[] = [];
await runTextMutants(
  [...charts, ...manual.mutants].filter(({ name }) => isSelected(name)),
  (result, failure) => {
    results.push(result);
    console.log(`${result.survived ? 'SURVIVED' : 'killed  '} ${result.name}  (${failure})`);
  },
);
results.push(...(await runStryker(isSelected)));

const survivors = results.filter(({ survived }) => survived);
const unexplained = survivors.filter(({ name }) => !(name in acceptedSurvivors));
if (words.length === 0) {
  const names = new Set(survivors.map(({ name }) => name));
  doNotApply.push(...Object.keys(acceptedSurvivors).filter((name) => !names.has(name)));
}
for (const { name, line } of unexplained)
  console.log(`SURVIVED ${name}${line ? ` (line ${line})` : ''}`);
for (const name of doNotApply) console.log(`DOES NOT APPLY ${name}`);
console.log(
  [
    `${results.length} tried`,
    `${results.length - survivors.length} killed`,
    `${unexplained.length} survived`,
    `${survivors.length - unexplained.length} equivalent (accepted)`,
    `${doNotApply.length} do not apply`,
  ].join(', '),
);
const isNoneSelected = results.length + doNotApply.length === 0;
if (isNoneSelected) console.log(`No mutant has "${words.join('" or "')}" in its name.`);
process.exitCode = unexplained.length + doNotApply.length > 0 || isNoneSelected ? 1 : 0;
