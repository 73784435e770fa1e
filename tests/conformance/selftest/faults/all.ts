import { faultRows, type Fault } from '../fault-builders.ts';
import { authFaults } from './auth.ts';
import { cookieFaults } from './cookies.ts';
import { errorFaults } from './errors.ts';
import { leakFaults } from './leaks.ts';
import { projectFaults } from './projects.ts';
import { responseFaults } from './responses.ts';
import { textFaults } from './text.ts';

export const faults: Fault[] = [
  ...authFaults,
  ...cookieFaults,
  ...projectFaults,
  ...textFaults,
  ...errorFaults,
  ...responseFaults,
  ...leakFaults,
]
  .flatMap(faultRows)
  .map(({ value, ...fault }) => ({ ...fault, createMiddleware: value }));
