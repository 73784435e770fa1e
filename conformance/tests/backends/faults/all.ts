import type { Change } from '../backend.ts';
import { accountFaults, otherSignInFaults, signInFaults } from './auth.ts';
import { cookieFaults, otherCookieFaults } from './cookies.ts';
import { errorFaults, fatalFaults } from './errors.ts';
import { leakFaults } from './leaks.ts';
import { otherProjectFaults, projectFaults } from './projects.ts';
import { otherResponseFaults, responseFaults } from './responses.ts';
import { textFaults } from './text.ts';

/** Each table with the groups of the checks that run. Without any, all checks run. */
const tables: [table: Record<string, Change>, ...groups: string[]][] = [
  [signInFaults],
  [cookieFaults],
  [projectFaults],
  [responseFaults],
  [accountFaults, 'ACCOUNT'],
  [otherSignInFaults, 'SIGNIN'],
  [otherCookieFaults, 'COOKIE', 'XSRF'],
  [otherProjectFaults, 'PROJECT'],
  [otherResponseFaults, 'REACH'],
  [textFaults, 'TEXT'],
  [errorFaults, 'ERR'],
  [fatalFaults, 'ERR'],
  [leakFaults, 'LEAK'],
];

/** Faults of a backend that has no other. Each name begins with the check that the report names. */
export const faults = tables.flatMap(([table, ...only]) =>
  Object.entries(table).map(([name, change]) => ({ id: name.split(':')[0]!, name, change, only })),
);
