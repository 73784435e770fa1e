import { accounts } from './accounts.ts';
import type { Check } from './check.ts';
import { cookies } from './cookies.ts';
import { cors } from './cors.ts';
import { errors } from './errors.ts';
import { journeys, screens } from './journeys.ts';
import { leaks } from './leaks.ts';
import { profile } from './profile.ts';
import { projects } from './projects.ts';
import { basePath, reach } from './reach.ts';
import { signIn } from './signin.ts';
import { texts } from './text.ts';
import { xsrf } from './xsrf.ts';

/** Every check, in the order in which they run: what looks back on what was said comes last. */
export const checks: Check[] = [
  basePath,
  ...xsrf.slice(0, 1),
  ...accounts,
  ...signIn,
  ...projects,
  ...texts,
  ...cookies,
  ...xsrf.slice(1),
  ...journeys,
  screens,
  ...errors,
  ...profile,
  ...cors,
  ...reach,
  ...leaks,
];
