import { globSync, readFileSync } from 'node:fs';
import type { Problem } from '../../problems/problem.ts';

const root = new URL('../../', import.meta.url).pathname;

/** What finds a problem, or calls for its caller what does. */
const finding =
  /\b(?:fail(?!IfAny|ed)\w*|expect(?:Success|SameText|Rejection)|create(?:Problem|Unreadable))\(|await expect\w+\(/;

/** The places of the source that find a problem: `checks/cors.ts:69`. */
export const places: string[] = globSync('{checks,requests,people}/*.ts', { cwd: root }).flatMap(
  (file) =>
    readFileSync(root + file, 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        finding.test(line) && !/\bfunction\b/.test(line) ? `${file}:${index + 1}` : [],
      ),
);

/** Returns the places of the calls that found a problem. */
export const placesOf = ({ foundAt }: Problem): string[] =>
  Array.from(
    foundAt?.stack?.matchAll(/\/conformance\/([\w/.-]+:\d+):\d+/g) ?? [],
    ([, place]) => place!,
  );
