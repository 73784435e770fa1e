/**
 * `npm run test:mutants`: changes the app in one place at a time and runs its tests. A mutant is
 * killed if a test fails. Words select mutants: `npm run test:mutants -- machines/auth`.
 * Fails if a mutant survives that accepted-survivors.ts does not explain, or if a manual mutant or
 * an explanation does not apply to the source.
 */
import { globSync, readFileSync } from 'node:fs';
import { acceptedSurvivors } from './accepted-survivors.ts';
import { chartMutants } from './chart-mutants.ts';
import { manualMutants } from './manual-mutants.ts';
import type { Result } from './mutant.ts';
import { runStryker } from './stryker.ts';
import { runTextMutants } from './text-mutants.ts';

const words = process.argv.slice(2);
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
process.exitCode = unexplained.length + doNotApply.length > 0 ? 1 : 0;
