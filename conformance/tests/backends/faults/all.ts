import { groupOf } from '../../../checks/order.ts';
import type { Change } from '../backend.ts';
import { accountFaults, otherSignInFaults, signInFaults } from './auth.ts';
import { cookieFaults, otherCookieFaults } from './cookies.ts';
import { errorFaults, fatalFaults } from './errors.ts';
import { leakFaults } from './leaks.ts';
import { otherProjectFaults, projectFaults } from './projects.ts';
import { otherResponseFaults, responseFaults } from './responses.ts';
import { textFaults } from './text.ts';

const namesOf = (table: Record<string, Change>) =>
  Object.entries(table).map(([name, change]) => ({ id: name.split(':')[0]!, name, change }));

/** Faults that checks of several groups find, so that all checks run. */
const broad = { ...signInFaults, ...cookieFaults, ...projectFaults, ...responseFaults };

/** Faults of which only the group of their check runs. */
const narrow = {
  ...accountFaults,
  ...otherSignInFaults,
  ...otherCookieFaults,
  ...otherProjectFaults,
  ...otherResponseFaults,
  ...textFaults,
  ...errorFaults,
  ...fatalFaults,
  ...leakFaults,
};

/** Faults of a backend that has no other. Each name begins with the check that the report names. */
export const faults = [
  ...namesOf(broad).map((fault) => ({ ...fault, only: [] })),
  ...namesOf(narrow).map((fault) => ({ ...fault, only: [groupOf(fault.id)] })),
];
