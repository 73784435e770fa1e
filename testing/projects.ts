/** Projects for tests. A test names a field of a project only if it is about that field. */
import type { NewProject } from '../machines/types.ts';
import { fixtures } from '../model/calls.ts';

type Texts = Required<NewProject>;

/** Returns the `n`th project that a test creates. No two share a text. */
export const newProject = (overrides: Partial<Texts> = {}, n = 1): Texts => ({
  ...fixtures.newProject(n),
  ...overrides,
});
