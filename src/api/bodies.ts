import type { Project, User } from './types.ts';

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

/** The projects of an answer. Throws where the body is anything but an array of projects. */
export function readProjects(body: string): Project[] {
  const answer: unknown = JSON.parse(body);
  if (!Array.isArray(answer) || !answer.every(isProject)) {
    throw new TypeError('The answer is not a list of projects.');
  }
  return answer;
}

function isProject(value: unknown): value is Project {
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
