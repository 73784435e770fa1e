import { accountChecks } from './accounts.ts';
import { wordsOf, type Check, type Run } from './check.ts';
import { cookieChecks } from './cookies.ts';
import { corsChecks } from './cors.ts';
import { errorChecks } from './errors.ts';
import { journeyChecks } from './journeys.ts';
import { leakChecks } from './leaks.ts';
import { backendProfileChecks } from './backend-profile.ts';
import { projectChecks } from './projects.ts';
import { reachabilityChecks } from './reachability.ts';
import { signInChecks } from './signin.ts';
import { textChecks } from './text.ts';
import { xsrfChecks } from './xsrf.ts';

export const verdicts: Record<string, Run> = {
  ...accountChecks,
  ...signInChecks,
  ...projectChecks,
  ...textChecks,
  ...cookieChecks,
  ...xsrfChecks,
  ...journeyChecks,
  ...errorChecks,
  ...backendProfileChecks,
  ...corsChecks,
  ...reachabilityChecks,
  ...leakChecks,
};

/** All checks, in the order in which they run. LEAK inspects the responses to all others. */
export const checks: Check[] = Object.entries(wordsOf).map(([id, words]) => ({ id, ...words }));
