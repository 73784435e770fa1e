import type { Fault, FaultTable } from '../fault-builders.ts';
import { authFaults } from './auth.ts';
import { cookieFaults } from './cookies.ts';
import { errorFaults } from './errors.ts';
import { leakFaults } from './leaks.ts';
import { projectFaults } from './projects.ts';
import { responseFaults } from './responses.ts';
import { textFaults } from './text.ts';

const tables: FaultTable[] = [
  ...authFaults,
  ...cookieFaults,
  ...projectFaults,
  ...textFaults,
  ...errorFaults,
  ...responseFaults,
  ...leakFaults,
];

export const faults: Fault[] = tables
  .flatMap(Object.entries<FaultTable[string]>)
  .map(([title, interceptor]) => {
    const [, name = title, checks = ''] = /^(.*) \[(.*)\]$/.exec(title) ?? [];
    const createInterceptor = typeof interceptor === 'function' ? interceptor : () => interceptor;
    return { name, failingChecks: checks.split(', '), createInterceptor };
  });
