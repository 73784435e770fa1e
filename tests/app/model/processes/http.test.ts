import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFixtures, createRunId } from '../../../../conformance/fixtures.ts';
import { createRunContext } from '../../../../conformance/run-context.ts';
import {
  authModel,
  authPaths,
  coarseCoverageItems,
  projectsModel,
  projectsPaths,
} from '../../../../model/moves.ts';
import { createOracle } from '../../../../model/oracle.ts';
import { createPath } from '../../../../model/paths.ts';
import { isPossibleForBackend, unreachableForBackends } from '../../../../model/unreachable.ts';
import { walk } from '../../../../model/walk.ts';
import { TestClock } from '../../../conformance/backends/test-clock.ts';
import { startTemporaryServer } from '../../../support/server-process.ts';
import { createCoverage } from '../coverage.ts';
import { createHttpDriver } from './http-driver.ts';
import { createPreconditions, type Preconditions } from './preconditions.ts';

let server: Awaited<ReturnType<typeof startTemporaryServer>>;
let preconditions: Preconditions;
beforeAll(async () => {
  server = await startTemporaryServer();
  preconditions = createPreconditions(
    createRunContext(server.address, createFixtures(1, createRunId()), { clock: new TestClock() }),
  );
});
afterAll(() => server.stop());

// Numbers apart, because a user who registers on one path must be unknown on the next.
const authMoves = authPaths(coarseCoverageItems, isPossibleForBackend).map(({ moves }) => moves);
const projectsMoves = projectsPaths(coarseCoverageItems, isPossibleForBackend).map(
  ({ moves }) => moves,
);
const paths = {
  auth: authMoves.map((moves, index) => createPath(authModel, moves, index * 1_000)),
  projects: projectsMoves.map((moves, index) =>
    createPath(projectsModel, moves, (authMoves.length + index) * 1_000),
  ),
};
const pathCount = paths.auth.length + paths.projects.length;
const coverage = createCoverage('http', pathCount, unreachableForBackends);
const { onStep } = coverage;

test.each(paths.auth)('auth agrees with the reference backend: $name', async (path) => {
  const driver = await createHttpDriver(preconditions);
  const steps = await walk({ path, driver, oracle: createOracle('/'), onStep });
  expect(steps).toBe(path.steps.length - 1);
  coverage.completePath();
});

test.each(paths.projects)('projects agrees with the reference backend: $name', async (path) => {
  const driver = await createHttpDriver(preconditions);
  const steps = await walk({ path, driver, oracle: createOracle('/'), onStep });
  expect(steps).toBe(path.steps.length - 1);
  coverage.completePath();
});
