/** Checks a build of the app, made in memory: its size and the browser features that it needs. */
import { buildInMemory, bundleSizes, overBudget } from './bundle-size.ts';
import { browserProblems } from './check-browsers.ts';

const output = await buildInMemory();
const problems = [...overBudget(await bundleSizes(output)), ...browserProblems(output)];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
