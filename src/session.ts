/**
 * Who is signed in in this browser. The tabs of an origin share it, because they share the session.
 * A user is a key, and no email: equal keys mean the same user. No other module decides that the
 * user has changed.
 */
export type Session = {
  /** Returns the key of the user who signed in last, if any. */
  user: () => string | undefined;
  /** Stores a sign-in or a registration of this tab. */
  signIn: (email: string) => void;
  /** Stores one that was never answered. The user is unknown, unless the email is theirs. */
  signInUnanswered: (email: string) => void;
  /**
   * Calls the listener after each sign-in of this tab, and after a sign-in of another user in
   * another tab. Returns what ends that.
   */
  subscribe: (listener: (change: SessionChange) => void) => () => void;
};

export type SessionChange = {
  user: string;
  /** The user signed in in another tab. */
  isElsewhere: boolean;
};

const itemName = 'tracker-user';

/**
 * Tabs in the back/forward cache, and those that a browser has suspended, get no `storage` event.
 * A submit is the last moment at which a text of the earlier user can be kept back.
 */
export const userEvents = ['storage', 'pageshow', 'visibilitychange', 'focus', 'submit'];

/** Returns the key that is stored, if the browser allows that. */
export function storedUser(): string | undefined {
  try {
    return localStorage.getItem(itemName) ?? undefined;
  } catch {
    return undefined;
  }
}

function store(user: string): void {
  if (storedUser() === user) return;
  try {
    localStorage.setItem(itemName, user);
  } catch {
    // Blocked.
  }
}

/** Keeps the user in `localStorage`, or for this tab alone if the browser blocks that. */
export function createSession(): Session {
  let known: string | undefined;
  const read = () => storedUser() ?? known;
  known = read();
  let onChange: (change: SessionChange) => void = () => {};

  function change(user: string, isElsewhere: boolean) {
    known = user;
    onChange({ user, isElsewhere });
  }

  function keyOf(email: string): string {
    const [salt = crypto.getRandomValues(new Uint32Array(4)).join('')] = read()?.split(' ') ?? [];
    return `${salt} ${hash(`${salt}${email.toLowerCase()}`)}`;
  }

  function signIn(user: string) {
    store(user);
    change(user, false);
  }

  return {
    user: () => known,
    signIn: (email) => signIn(keyOf(email)),
    signInUnanswered(email) {
      const own = keyOf(email);
      signIn(own === read() ? own : `${own} ${Math.random()}`);
    },
    subscribe(listener) {
      onChange = listener;
      const compare = (event: Event) => {
        const user = read();
        if (user === undefined) return;
        // Another app of the origin may have cleared the storage, and Safari does so after a week.
        if (user === known) return store(user);
        change(user, true);
        // The listener has replaced the form with an empty one.
        if (event.type !== 'submit' || (event.target as Element).isConnected) return;
        event.preventDefault();
        event.stopPropagation();
      };
      const listening = new AbortController();
      const options = { capture: true, signal: listening.signal };
      for (const type of userEvents) addEventListener(type, compare, options);
      return () => listening.abort();
    },
  };
}

/** Returns a hash of 64 bits. Not for secrets: a guessed email can be compared with it. */
function hash(text: string): string {
  let [high, low] = [0x811c9dc5, 0x01000193];
  for (const character of text) {
    const code = character.codePointAt(0)!;
    high = Math.imul(high ^ code, 0x01000193);
    low = Math.imul(low ^ code ^ high, 0x85ebca6b);
  }
  return `${high >>> 0} ${low >>> 0}`;
}
