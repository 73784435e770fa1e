import { createJsonArrayStream } from './json-array-stream.ts';
import type { Project, User } from '../../machines/types.ts';

/** The user of a registration's answer, as far as the body can be understood. Refuses nothing. */
export function readUser(body: string): User {
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch {
    return {};
  }
  return isRecord(answer) && typeof answer['role'] === 'string' ? { role: answer['role'] } : {};
}

/** The project of an answer. Throws where the body is anything else. */
export function readProject(body: string): Project {
  const answer: unknown = JSON.parse(body);
  if (!isProject(answer)) throw new TypeError('The answer is not a project.');
  return answer;
}

/**
 * The projects of an answer, read while it arrives: `onRows` is told of those that are there, of the first ones at once and
 * later whenever they have doubled. Throws where the body is anything but an array of projects.
 */
export async function readProjects(
  pieces: AsyncIterable<string>,
  onRows: (rows: Project[]) => void,
): Promise<Project[]> {
  const reader = createJsonArrayStream(isProject);
  let told = 0;
  for await (const piece of pieces) {
    reader.add(piece);
    const { length } = reader.items;
    if (length === 0 || length < 2 * told) continue;
    told = length;
    onRows(reader.items.slice());
  }
  reader.end();
  return reader.items;
}

/** Whether a value of an answer is what the contract calls a project. */
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
