import { faultsOf, type FaultTable } from '../fault-builders.ts';
import { authFaults } from './auth.ts';
import { cookieFaults } from './cookies.ts';
import { errorFaults } from './errors.ts';
import { leakFaults } from './leaks.ts';
import { projectFaults } from './projects.ts';
import { responseFaults } from './responses.ts';
import { sequenceFaults } from './sequences.ts';
import { textFaults } from './text.ts';

/** The tables of faults. Each has a test file of the same name in `tests/conformance/faults/`. */
export const faultTables: Record<string, FaultTable[]> = {
  auth: authFaults,
  cookies: cookieFaults,
  projects: projectFaults,
  text: textFaults,
  errors: errorFaults,
  responses: responseFaults,
  leaks: leakFaults,
  sequences: sequenceFaults,
};

export const faults = faultsOf(Object.values(faultTables).flat());
