import { accountChecks } from './accounts.ts';
import { profileChecks } from './backend-profile.ts';
import type { Check } from './check.ts';
import { cookieChecks } from './cookies.ts';
import { corsChecks } from './cors.ts';
import { errorChecks } from './errors.ts';
import { journeyChecks } from './journeys.ts';
import { leakChecks } from './leaks.ts';
import { projectChecks } from './projects.ts';
import { reachabilityChecks } from './reachability.ts';
import { signInChecks } from './signin.ts';
import { textChecks } from './text.ts';
import { xsrfChecks } from './xsrf.ts';

/** All checks by group. */
export const checks: Check[] = [
  ...reachabilityChecks,
  ...corsChecks,
  ...accountChecks,
  ...signInChecks,
  ...projectChecks,
  ...textChecks,
  ...cookieChecks,
  ...xsrfChecks,
  ...errorChecks,
  ...profileChecks,
  ...leakChecks,
  ...journeyChecks,
];
