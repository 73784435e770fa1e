/** Checks the size of a build of the app, made in memory. */
import { buildInMemory, bundleSizes, overBudget } from './bundle-size.ts';

const problems = overBudget(await bundleSizes(await buildInMemory()));
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
