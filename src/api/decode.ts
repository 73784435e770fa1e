import { isProject, isUser } from '../../generated/operations.ts';
import type { Project, User } from '../../machines/types.ts';
import { createJsonArrayStream, tryParseJson } from './json-array-stream.ts';

/**
 * Returns the user in a registration response. Accepts any body, because only `role` is used, and
 * waits for no end of a complete one. One that is cut off has no user.
 */
export async function decodeUser(chunks: AsyncIterable<string>): Promise<User> {
  let text = '';
  let user: unknown;
  try {
    for await (const chunk of chunks) {
      text += chunk;
      user = tryParseJson(text);
      if (user !== undefined) break;
    }
  } catch {
    // The registration has succeeded, because its status has arrived.
  }
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
