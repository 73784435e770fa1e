import { createJsonArrayStream, tryParseJson } from './json-array-stream.ts';
import type { Project, User } from '../../machines/types.ts';

/** Returns the user in a registration response. Accepts any body, because only `role` is used. */
export function decodeUser(body: string): User {
  const user = tryParseJson(body);
  return isRecord(user) && typeof user['role'] === 'string' ? { role: user['role'] } : {};
}

/** Returns the project in a response. Throws when the body is anything else. */
export function decodeProject(body: string): Project {
  const project: unknown = JSON.parse(body);
  if (!isProject(project)) throw new TypeError('The response is not a project.');
  return project;
}

/**
 * Returns the projects in a response. Calls `onRows` with the projects received so far: for the
 * first time at once, then each time their number has doubled. Throws when the body is not an array
 * of projects.
 */
export async function decodeProjects(
  chunks: AsyncIterable<string>,
  onRows: (rows: Project[]) => void,
): Promise<Project[]> {
  const stream = createJsonArrayStream(isProject);
  let reportedCount = 0;
  for await (const chunk of chunks) {
    stream.write(chunk);
    const { length } = stream.items;
    if (length === 0 || length < 2 * reportedCount) continue;
    reportedCount = length;
    onRows(stream.items.slice());
  }
  stream.end();
  return stream.items;
}

/** Returns whether a value from a response is a project as the contract defines it. */
export function isProject(value: unknown): value is Project {
  return (
    isRecord(value) &&
    (typeof value['id'] === 'string' || typeof value['id'] === 'number') &&
    typeof value['title'] === 'string' &&
    typeof value['description'] === 'string'
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
