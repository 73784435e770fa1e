/**
 * Who is using the app, as far as the app can know: it starts not knowing anybody, and there is no call to ask.
 *
 * A person sees a form with a live button (`unauthenticated`, `authenticated`), or the same form busy (`loggingIn`,
 * `registering`). The message of a failed login stays until the next login ends.
 *
 * Calls have no time limit, so no state locks a form for good: the same submit again changes nothing while it is pending, a
 * submit of the other kind takes over. Left out on purpose: signing out, restoring a session, what a role may do. The
 * password travels in the event and is kept nowhere.
 */
import { assign, emit, fromPromise, setup, type SnapshotFrom } from 'xstate';
import type { Credentials, Outcome, User } from './types.ts';
import { outputOf, notProvided } from './placeholders.ts';

export type AuthContext = {
  user: User | undefined;
  loginErrorMessage: string | undefined;
};

export type AuthEvent =
  | { type: 'login'; credentials: Credentials }
  | { type: 'registerUser'; credentials: Credentials };

/** What the app may act on: it navigates, the machine does not. */
export type AuthEmitted = { type: 'loggedIn' } | { type: 'registered' };

export const authMachine = setup({
  types: {
    context: {} as AuthContext,
    events: {} as AuthEvent,
    emitted: {} as AuthEmitted,
    meta: {} as { statements: string[] },
  },
  actors: {
    login: fromPromise<Outcome<void>, Credentials>(notProvided('login')),
    registerUser: fromPromise<Outcome<User>, Credentials>(notProvided('registerUser')),
  },
  guards: {
    succeeded: (_, call: Outcome<unknown>) => call.ok,
  },
  actions: {
    storeUser: assign({
      user: (_, registration: Outcome<User>) => (registration.ok ? registration.value : undefined),
    }),
    clearUser: assign({ user: undefined }),
    storeLoginError: assign({
      loginErrorMessage: (_, login: Outcome<unknown>) => (login.ok ? undefined : login.message),
    }),
    clearLoginError: assign({ loginErrorMessage: undefined }),
    announceLogin: emit({ type: 'loggedIn' }),
    announceRegistration: emit({ type: 'registered' }),
  },
}).createMachine({
  id: 'auth',
  context: { user: undefined, loginErrorMessage: undefined },
  initial: 'unauthenticated',
  states: {
    unauthenticated: {
      on: {
        login: { target: 'loggingIn', meta: { statements: ['AUTH-2'] } },
        registerUser: { target: 'registering', meta: { statements: ['AUTH-6'] } },
      },
    },
    loggingIn: {
      invoke: {
        id: 'login',
        src: 'login',
        input: ({ event }) => event.credentials,
        onDone: [
          {
            guard: { type: 'succeeded', params: outputOf },
            target: 'authenticated',
            actions: ['clearLoginError', 'announceLogin'],
            meta: { statements: ['AUTH-3', 'AUTH-4', 'CHOICE-4', 'CHOICE-16'] },
          },
          {
            target: 'unauthenticated',
            actions: ['clearUser', { type: 'storeLoginError', params: outputOf }],
            meta: { statements: ['AUTH-5', 'ERROR-1', 'ERROR-2'] },
          },
        ],
        onError: {
          target: 'unauthenticated',
          actions: ['clearUser', 'clearLoginError'],
          meta: { statements: ['AUTH-5', 'ERROR-3', 'CHOICE-15'] },
        },
      },
      on: {
        registerUser: { target: 'registering', meta: { statements: ['AUTH-6', 'CHOICE-8'] } },
      },
    },
    registering: {
      invoke: {
        id: 'registerUser',
        src: 'registerUser',
        input: ({ event }) => event.credentials,
        onDone: [
          {
            guard: { type: 'succeeded', params: outputOf },
            target: 'authenticated',
            actions: [{ type: 'storeUser', params: outputOf }, 'announceRegistration'],
            meta: { statements: ['AUTH-7', 'AUTH-8', 'CHOICE-17'] },
          },
          {
            target: 'unauthenticated',
            actions: 'clearUser',
            meta: { statements: ['AUTH-9', 'AUTH-10', 'ERROR-4'] },
          },
        ],
        onError: {
          target: 'unauthenticated',
          actions: 'clearUser',
          meta: { statements: ['AUTH-9', 'AUTH-10', 'ERROR-4'] },
        },
      },
      on: {
        login: { target: 'loggingIn', meta: { statements: ['AUTH-2', 'CHOICE-8'] } },
      },
    },
    authenticated: {
      on: {
        login: { target: 'loggingIn', meta: { statements: ['AUTH-2'] } },
        registerUser: { target: 'registering', meta: { statements: ['AUTH-6'] } },
      },
    },
  },
});

type AuthSnapshot = SnapshotFrom<typeof authMachine>;

export const isAuthenticated = (snapshot: AuthSnapshot): boolean =>
  snapshot.matches('authenticated');

/** Any text that the backend gave the user as a role. Nothing in the app depends on it. */
export const role = (snapshot: AuthSnapshot): string | undefined => snapshot.context.user?.role;
