import type { Passwords } from './auth/passwords.ts';
import type { Sessions } from './auth/sessions.ts';
import type { Throttle } from './auth/throttle.ts';
import type { Store } from './store/store.ts';

/** The dependencies of the operations. */
export interface Dependencies {
  store: Store;
  passwords: Passwords;
  sessions: Sessions;
  throttle: Throttle;
}
