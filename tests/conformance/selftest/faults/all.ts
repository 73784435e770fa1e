import { answerFaults } from './answers.ts';
import { cookieFaults } from './cookies.ts';
import { errorFaults } from './errors.ts';
import { leakFaults } from './leaks.ts';
import { projectFaults } from './projects.ts';
import { signingIn } from './signing-in.ts';
import { textFaults } from './text.ts';
import type { Fault } from '../fault-builders.ts';

/** One fault each. */
export const faults: Fault[] = [
  ...signingIn,
  ...cookieFaults,
  ...projectFaults,
  ...textFaults,
  ...errorFaults,
  ...answerFaults,
  ...leakFaults,
];
