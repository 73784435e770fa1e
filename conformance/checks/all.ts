import { accountChecks } from './accounts.ts';
import type { Check } from './check.ts';
import { sessionLifeChecks } from './session-life.ts';
import { sessionChecks } from './sessions.ts';
import { lastChecks, responseChecks } from './responses.ts';
import { registrationChecks } from './registrations.ts';
import { cookieChecks } from './cookies.ts';
import { corsChecks } from './cors.ts';
import { etagChecks } from './etags.ts';
import { errorChecks } from './errors.ts';
import { idempotencyChecks } from './idempotency.ts';
import { leakChecks } from './leaks.ts';
import { longListChecks } from './long-lists.ts';
import { projectIdChecks } from './project-ids.ts';
import { projectListChecks } from './project-lists.ts';
import { projectUserChecks } from './project-users.ts';
import { reachabilityChecks } from './reachability.ts';
import { sentTextChecks } from './sent-texts.ts';
import { signInChecks } from './signin.ts';
import { textChecks } from './text.ts';
import { xsrfChecks } from './xsrf.ts';

export const checks: Check[] = [
  ...reachabilityChecks,
  ...responseChecks,
  ...corsChecks,
  ...accountChecks,
  ...registrationChecks,
  ...signInChecks,
  ...sessionChecks,
  ...sessionLifeChecks,
  ...sentTextChecks,
  ...projectIdChecks,
  ...projectListChecks,
  ...etagChecks,
  ...idempotencyChecks,
  ...projectUserChecks,
  ...longListChecks,
  ...textChecks,
  ...cookieChecks,
  ...xsrfChecks,
  ...errorChecks,
  ...leakChecks,
  ...lastChecks,
];
