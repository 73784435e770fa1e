/**
 * `npm run conformance:selftest`: shows that the kit can fail. Puts it before backends with one fault each, before servers that are
 * something else altogether, and before correct backends that made other choices. `--write` writes
 * docs/conformance.md; `--quick` runs only the checks that have to name a fault, in place of all of them.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { run } from '../../../conformance/run.ts';
import { validVariants } from './valid-variants.ts';
import { faults } from './faults/all.ts';
import { runFault, measuredOf, troubleIn, type FaultResult } from './run-fault.ts';
import { pageOf } from './write-docs.ts';
import { objectionsTo } from './prism.ts';
import { startReference } from './reference.ts';
import { examples, wrongServers } from './wrong-servers.ts';

const args = process.argv.slice(2);
const writes = args.includes('--write');
const quick = args.includes('--quick');
const reference = await startReference();
const results: FaultResult[] = [];

for (const [number, fault] of faults.entries()) {
  show(await runFault(fault, reference, { whole: !quick, number }));
}
for (const { name, killedBy, start } of wrongServers) {
  const backend = await start();
  show(measuredOf(name, killedBy, await run({ origin: backend.address })));
  await backend.stop();
}

const green: { name: string; trouble: string[]; seconds: number }[] = [];
for (const { name, start, origin } of [
  ...examples.map((each) => ({ ...each, origin: undefined })),
  ...validVariants,
  { name: 'our own backend', origin: undefined, start: startReference },
]) {
  const backend = await start();
  const done = await run({ origin: backend.address, appOrigin: origin });
  const trouble = troubleIn(done);
  const seconds = done.durationMs / 1000;
  green.push({ name, trouble, seconds });
  console.log(`${trouble.length > 0 ? 'RED    ' : 'green  '} ${name}, ${seconds.toFixed(1)} s`);
  for (const line of trouble) console.log(`         ${line}`);
  await backend.stop();
}

if (writes) {
  const unspoilt = await objectionsTo({ layer: () => ({}) }, reference);
  if (unspoilt) throw new Error(`Prism objects to a backend without a fault: ${unspoilt}`);
  const objections = new Map<string, string>();
  for (const fault of faults) objections.set(fault.name, await objectionsTo(fault, reference));
  const path = fileURLToPath(new URL('../../../docs/conformance.md', import.meta.url));
  writeFileSync(path, pageOf(results, objections, green));
  console.log(`Wrote ${path}`);
}
await reference.stop();

const killed = results.filter(({ missing }) => missing.length === 0);
console.log(
  `${killed.length} of ${results.length} faulty backends are named, ${green.filter(({ trouble }) => trouble.length === 0).length} of ${green.length} correct ones are green.`,
);
process.exitCode =
  killed.length < results.length || green.some(({ trouble }) => trouble.length > 0) ? 1 : 0;

function show(result: FaultResult) {
  results.push(result);
  const { fault, killedBy, missing, words } = result;
  console.log(
    `${missing.length > 0 ? 'MISSED ' : 'named  '} ${killedBy.join(', ').padEnd(20)} ${fault}`,
  );
  console.log(
    missing.length > 0 ? `         not failed: ${missing.join(', ')}` : `         ${words}`,
  );
}
