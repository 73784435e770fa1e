import type { TestProject } from 'vitest/node';
import { buildStaleApps } from '../tools/built-app.ts';

/** Builds the app once per run, if its sources have changed since the last build. */
export default async function setup(project: TestProject) {
  await build();
  project.onTestsRerun(build);
}

async function build() {
  const problems = await buildStaleApps();
  if (problems.length > 0) throw new Error(problems.join('\n'));
}
