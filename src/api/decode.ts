import { isProject, isUser } from '../../generated/operations.ts';
import type { Project, User } from '../../machines/types.ts';
import { createJsonArrayStream, tryParseJson } from './json-array-stream.ts';

/** Returns the user in a registration response. Accepts any body, because only `role` is used. */
export function decodeUser(body: string): User {
  const user = tryParseJson(body);
  return isUser(user) && user.role !== undefined ? { role: user.role } : {};
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
