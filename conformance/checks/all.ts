import { accountChecks } from './accounts.ts';
import type { Check } from './check.ts';
import { cookieChecks } from './cookies.ts';
import { corsChecks } from './cors.ts';
import { errorChecks } from './errors.ts';
import { journeyChecks, screenCheck } from './journeys.ts';
import { leakChecks } from './leaks.ts';
import { profileChecks } from './profile.ts';
import { projectChecks } from './projects.ts';
import { basePathCheck, reachChecks } from './reach.ts';
import { signInChecks } from './signin.ts';
import { textChecks } from './text.ts';
import { xsrfChecks } from './xsrf.ts';

/** Every check, in the order in which they run: what looks back on what was said comes last. */
export const checks: Check[] = [
  basePathCheck,
  ...xsrfChecks.slice(0, 1),
  ...accountChecks,
  ...signInChecks,
  ...projectChecks,
  ...textChecks,
  ...cookieChecks,
  ...xsrfChecks.slice(1),
  ...journeyChecks,
  screenCheck,
  ...errorChecks,
  ...profileChecks,
  ...corsChecks,
  ...reachChecks,
  ...leakChecks,
];
