import type { Passwords } from './auth/passwords.ts';
import type { Sessions } from './auth/sessions.ts';
import type { Store } from './store/store.ts';
import type { Throttle } from './auth/throttle.ts';

/** What the operations work with. */
export interface Services {
  store: Store;
  passwords: Passwords;
  sessions: Sessions;
  throttle: Throttle;
  /** Milliseconds since 1970. */
  now: () => number;
}
