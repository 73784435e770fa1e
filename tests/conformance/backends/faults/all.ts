import { accountFaults, otherSignInFaults, signInFaults } from './auth.ts';
import { cookieFaults, otherCookieFaults } from './cookies.ts';
import { errorFaults, fatalFaults } from './errors.ts';
import { leakFaults } from './leaks.ts';
import { otherProjectFaults, projectFaults } from './projects.ts';
import { otherResponseFaults, responseFaults } from './responses.ts';
import { sequenceFaults } from './sequences.ts';
import type { FaultTable } from './table.ts';
import { textFaults } from './text.ts';

/** Each table with the groups of the checks that run. Without any, all checks run. */
const tables: [table: FaultTable, ...groups: string[]][] = [
  [signInFaults],
  [cookieFaults],
  [projectFaults],
  [responseFaults],
  [accountFaults, 'ACCOUNT'],
  [otherSignInFaults, 'SIGNIN'],
  [otherCookieFaults, 'COOKIE', 'XSRF'],
  [otherProjectFaults, 'PROJECT'],
  [otherResponseFaults, 'REACH'],
  [sequenceFaults, 'JOURNEY'],
  [textFaults, 'TEXT'],
  [errorFaults, 'ERR'],
  [fatalFaults, 'ERR'],
  [leakFaults, 'LEAK'],
];

/** Faults of a backend that has no other. The report must begin with the check `id`. */
export const faults = tables.flatMap(([table, ...only]) =>
  Object.entries(table).flatMap(([id, changes]) =>
    Object.entries(changes).map(([name, change]) => ({ id, name, change, only })),
  ),
);
