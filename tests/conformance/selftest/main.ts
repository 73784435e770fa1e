import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { run } from '../../../conformance/run.ts';
import { readCommandLine } from '../../../tools/command-line.ts';
import { findTempFolder } from '../../../tools/temp-folder.ts';
import { startReferenceServer } from '../../support/reference-server.ts';
import { exampleServers } from './examples.ts';
import { faults } from './faults/all.ts';
import { prismComplaint } from './prism.ts';
import { faultResultOf, isNamed, runFault, unmetChecks, type FaultResult } from './run-fault.ts';
import { validVariants } from './valid-variants.ts';
import { conformancePage, type BackendResult } from './write-docs.ts';
import { wrongServers } from './wrong-servers.ts';
import { TestClock } from './test-clock.ts';

const { options } = readCommandLine(
  `Usage: npm run node -- tests/conformance/selftest/main.ts [--write]

Runs the kit against backends with one fault each, and against correct backends that made other
choices.

  --write  also compare with Prism's validation proxy, and write docs/conformance.md

Exit code 1: the kit names another check first than the one about the fault, or finds a fault in a
correct backend.`,
  { options: ['write'] },
);
process.env['TMPDIR'] = await findTempFolder();
const startReference = () => startReferenceServer({ trustedProxies: ['127.0.0.1'] });
const reference = await startReference();

const faultResults: FaultResult[] = [];
for (const [number, fault] of faults.entries()) {
  addFaultResult(await runFault(fault, reference, number));
}
for (const server of wrongServers) {
  const { appOrigin } = server;
  const clock = new TestClock();
  const { origin, stop } = await server.start(clock);
  addFaultResult(faultResultOf(server, await run({ origin, clock, appOrigin })));
  await stop();
}

const backendResults: BackendResult[] = [];
for (const { name, start, ...settings } of [
  ...exampleServers,
  ...validVariants,
  { name: 'the reference server', start: startReference },
]) {
  const clock = new TestClock();
  const { origin, stop } = await start(clock);
  const unmet = unmetChecks(await run({ origin, clock, ...settings }), ['MUST']);
  await stop();
  backendResults.push({ name, unmet });
  console.log(
    [`${unmet.length > 0 ? 'FAILED' : 'passed'}   ${name}`, ...unmet].join('\n         '),
  );
}

if (options.has('write')) {
  const falseComplaint = await prismComplaint((request, next) => next(request), reference);
  if (falseComplaint)
    throw new Error(`Prism complains about a backend without a fault: ${falseComplaint}`);
  const complaints = new Map<string, string>();
  for (const { name, createMiddleware } of faults)
    complaints.set(name, await prismComplaint(createMiddleware(new TestClock()), reference));
  const file = fileURLToPath(new URL('../../../docs/conformance.md', import.meta.url));
  writeFileSync(file, conformancePage(faultResults, complaints, backendResults));
  console.log(`Wrote ${file}`);
}
await reference.stop();

const missed = faultResults.filter((result) => !isNamed(result));
const failed = backendResults.filter(({ unmet }) => unmet.length > 0);
console.log(
  `${faultResults.length - missed.length} of ${faultResults.length} faulty backends are named first, ` +
    `${backendResults.length - failed.length} of ${backendResults.length} correct backends pass.`,
);
process.exitCode = missed.length + failed.length > 0 ? 1 : 0;

function addFaultResult(result: FaultResult) {
  faultResults.push(result);
  const { name, failingChecks, missedChecks, firstCheck = 'nothing', problem } = result;
  console.log(`${isNamed(result) ? 'named ' : 'MISSED'} ${failingChecks.join(', ')}: ${name}`);
  if (missedChecks.length > 0) console.log(`         did not fail: ${missedChecks.join(', ')}`);
  console.log(`         first: ${firstCheck}: ${problem}`);
}
