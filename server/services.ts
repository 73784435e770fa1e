import type { Passwords } from './passwords.ts';
import type { Sessions } from './sessions.ts';
import type { Store } from './store/store.ts';

/** What the operations work with. */
export interface Services {
  store: Store;
  passwords: Passwords;
  sessions: Sessions;
  /** Milliseconds since 1970. */
  now: () => number;
}
