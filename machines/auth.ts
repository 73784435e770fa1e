/**
 * Models signing in and registering. It starts unauthenticated, because no call tells whether a
 * session exists.
 *
 * The user sees a form with a live button (`unauthenticated`, `authenticated`) or a busy form
 * (`loggingIn`, `registering`). A login error stays visible until the next login ends.
 *
 * Calls have no timeout, so no state locks a form: submitting the same form again while its call is
 * pending is ignored, and submitting the other form aborts the pending call. Left out on purpose:
 * signing out, restoring a session, permissions of a role. Passwords travel in events and are never
 * stored.
 */
import { assign, emit, fromPromise, setup, type SnapshotFrom } from 'xstate';
import { failureMessage, outputOf, succeeded, successValue } from './params.ts';
import { notProvided } from './placeholders.ts';
import type { Credentials, Outcome, User } from './types.ts';

export type AuthContext = {
  user: User | undefined;
  loginErrorMessage: string | undefined;
  /** The email that was registered last, until a sign-in succeeds. */
  registeredEmail: string | undefined;
};

export type AuthEvent =
  | { type: 'login'; credentials: Credentials }
  | { type: 'registerUser'; credentials: Credentials };

/** Events for the app: it navigates and tells the projects machine who signed in. */
export type AuthEmitted = { type: 'user.loggedIn' | 'user.registered'; email: string };

/** The user of the response, and the email that was sent. */
export type Registration = { user: User; email: string };

export const authMachine = setup({
  types: {
    context: {} as AuthContext,
    events: {} as AuthEvent,
    emitted: {} as AuthEmitted,
    meta: {} as { statements: string[] },
  },
  actors: {
    /** Its value is the email that signed in, which no response need contain. */
    login: fromPromise<Outcome<string>, Credentials>(notProvided),
    registerUser: fromPromise<Outcome<Registration>, Credentials>(notProvided),
  },
  guards: {
    succeeded,
  },
  actions: {
    storeRegistration: assign({
      user: (_, { user }: Registration) => user,
      registeredEmail: (_, { email }: Registration) => email,
    }),
    clearRegisteredEmail: assign({ registeredEmail: undefined }),
    clearUser: assign({ user: undefined }),
    storeLoginError: assign({ loginErrorMessage: (_, message: string) => message }),
    clearLoginError: assign({ loginErrorMessage: undefined }),
    emitLoggedIn: emit((_, email: string) => ({ type: 'user.loggedIn' as const, email })),
    emitRegistered: emit((_, { email }: Registration) => ({
      type: 'user.registered' as const,
      email,
    })),
  },
}).createMachine({
  id: 'auth',
  context: { user: undefined, loginErrorMessage: undefined, registeredEmail: undefined },
  initial: 'unauthenticated',
  states: {
    unauthenticated: {
      description: 'No sign-in or registration has succeeded since the last attempt.',
      on: {
        login: { target: 'loggingIn', meta: { statements: ['AUTH-2'] } },
        registerUser: { target: 'registering', meta: { statements: ['AUTH-6'] } },
      },
    },
    loggingIn: {
      description: 'The sign-in form is busy. The previous login error stays visible.',
      invoke: {
        id: 'login',
        src: 'login',
        input: ({ event }) => event.credentials,
        onDone: [
          {
            guard: { type: 'succeeded', params: outputOf },
            target: 'authenticated',
            actions: [
              'clearLoginError',
              'clearRegisteredEmail',
              { type: 'emitLoggedIn', params: successValue },
            ],
            meta: { statements: ['AUTH-3', 'AUTH-4', 'CHOICE-4', 'CHOICE-16'] },
          },
          {
            target: 'unauthenticated',
            actions: ['clearUser', { type: 'storeLoginError', params: failureMessage }],
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
      description: 'The registration form is busy.',
      invoke: {
        id: 'registerUser',
        src: 'registerUser',
        input: ({ event }) => event.credentials,
        onDone: [
          {
            guard: { type: 'succeeded', params: outputOf },
            target: 'authenticated',
            actions: [
              { type: 'storeRegistration', params: successValue },
              { type: 'emitRegistered', params: successValue },
            ],
            meta: { statements: ['AUTH-7', 'AUTH-8', 'CHOICE-17', 'CHOICE-117'] },
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
      description: 'The last call to end was a successful sign-in or registration.',
      on: {
        login: { target: 'loggingIn', meta: { statements: ['AUTH-2'] } },
        registerUser: { target: 'registering', meta: { statements: ['AUTH-6'] } },
      },
    },
  },
});

type AuthSnapshot = SnapshotFrom<typeof authMachine>;

/** Returns whether the user is authenticated. */
export const isAuthenticated = (snapshot: AuthSnapshot): boolean =>
  snapshot.matches('authenticated');

/** Returns whether a sign-in is pending. */
export const isLoggingIn = (snapshot: AuthSnapshot): boolean => snapshot.matches('loggingIn');

/** Returns whether a registration is pending. */
export const isRegistering = (snapshot: AuthSnapshot): boolean => snapshot.matches('registering');

/** Returns the user's role as the backend sent it. The app exposes it and uses it nowhere. */
export const roleOf = (snapshot: AuthSnapshot): string | undefined => snapshot.context.user?.role;
