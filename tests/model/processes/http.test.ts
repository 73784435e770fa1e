import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServerProcess } from '../../support/server-process.ts';
import { pathOf } from '../../../model/paths.ts';
import { unreachableForBackends, isPossibleForBackend } from '../../../model/unreachable.ts';
import { coverage } from '../coverage.ts';
import {
  auth,
  fewCoverageItems,
  authPaths,
  projects,
  projectsPaths,
} from '../../../model/moves.ts';
import { createOracle } from '../../../model/oracle.ts';
import { walk } from '../walk.ts';
import { httpHands } from './http-driver.ts';

let server: Awaited<ReturnType<typeof startServerProcess>>;
beforeAll(async () => {
  server = await startServerProcess();
});
afterAll(() => server.stop());

// Whoever registers on one path must be nobody on the next.
const ofAuth = authPaths(fewCoverageItems, isPossibleForBackend).map(({ moves }, index) =>
  pathOf(auth, moves, index * 1_000),
);
const ofProjects = projectsPaths(fewCoverageItems, isPossibleForBackend).map(({ moves }, index) =>
  pathOf(projects, moves, (ofAuth.length + index) * 1_000),
);
const walked = coverage('http', ofAuth.length + ofProjects.length, unreachableForBackends);

test.each(ofAuth)('auth by HTTP: $name', async (path) => {
  const [hands, oracle] = [await httpHands(server.address, '/'), createOracle('/')];
  expect(await walk({ path, hands, oracle, coverage: walked })).toBe(path.steps.length - 1);
});

test.each(ofProjects)('projects by HTTP: $name', async (path) => {
  const [hands, oracle] = [await httpHands(server.address, '/'), createOracle('/')];
  expect(await walk({ path, hands, oracle, coverage: walked })).toBe(path.steps.length - 1);
});
