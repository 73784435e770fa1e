import { accountChecks } from './accounts.ts';
import { wordsOf, type Check, type CheckId, type Verdicts } from './check.ts';
import { cookieChecks } from './cookies.ts';
import { corsChecks } from './cors.ts';
import { errorChecks } from './errors.ts';
import { journeyChecks, browserJourneyCheck } from './journeys.ts';
import { leakChecks } from './leaks.ts';
import { backendProfileChecks } from './backend-profile.ts';
import { longListChecks, projectChecks, unreadableListChecks } from './projects.ts';
import { basePathCheck, reachabilityChecks } from './reachability.ts';
import { idleSessionCheck, sessionChecks } from './sessions.ts';
import { signInChecks } from './signin.ts';
import { textChecks } from './text.ts';
import { firstPostCheck, oldTokenCheck, xsrfChecks } from './xsrf.ts';

const verdicts: Verdicts = {
  ...basePathCheck,
  ...firstPostCheck,
  ...accountChecks,
  ...signInChecks,
  ...sessionChecks,
  ...projectChecks,
  ...textChecks,
  ...longListChecks,
  ...unreadableListChecks,
  ...cookieChecks,
  ...xsrfChecks,
  ...journeyChecks,
  ...browserJourneyCheck,
  ...errorChecks,
  ...backendProfileChecks,
  ...corsChecks,
  ...reachabilityChecks,
  ...idleSessionCheck,
  ...oldTokenCheck,
  ...leakChecks,
};

/** All checks, in the order in which they run. LEAK inspects the responses to all others. */
export const checks: Check[] = (Object.keys(wordsOf) as CheckId[]).map((id) => ({
  id,
  ...wordsOf[id],
  run: verdicts[id]!,
}));
