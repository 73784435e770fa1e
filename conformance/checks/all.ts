import { accountChecks } from './accounts.ts';
import { profileChecks } from './backend-profile.ts';
import type { Check } from './check.ts';
import { cookieChecks, storedCookiesCheck } from './cookies.ts';
import { corsChecks } from './cors.ts';
import { errorChecks } from './errors.ts';
import { journeyChecks } from './journeys.ts';
import { leakChecks } from './leaks.ts';
import { foreignProjectCheck, longListChecks, projectChecks } from './projects.ts';
import { apiCheck, gateCheck, responseChecks } from './reachability.ts';
import { idleSessionCheck, refusedSignInsCheck, signInChecks } from './signin.ts';
import { textChecks } from './text.ts';
import { newBrowserCheck, oldTokenCheck, xsrfChecks } from './xsrf.ts';

/** They inspect what the run has brought about, and use sessions that are old. */
const lastChecks = [
  ...responseChecks,
  refusedSignInsCheck,
  idleSessionCheck,
  foreignProjectCheck,
  oldTokenCheck,
  storedCookiesCheck,
  ...leakChecks,
];

/** All checks, in the order in which they run. */
export const checks: Check[] = [
  apiCheck,
  newBrowserCheck,
  gateCheck,
  ...accountChecks,
  ...signInChecks,
  ...projectChecks,
  ...textChecks,
  ...longListChecks,
  ...cookieChecks,
  ...xsrfChecks,
  ...journeyChecks,
  ...errorChecks,
  ...profileChecks,
  ...corsChecks,
  ...lastChecks,
];

/** The checks of which none runs beside another: they share a person, or what they inspect. */
export const checksInOrder = new Set([...journeyChecks, ...lastChecks]);
