/**
 * Models the list of projects and the form that creates one. Three regions run in parallel:
 *
 * - `list`: whether the list is being fetched. Cached rows stay visible during a fetch. A failed
 *   fetch looks like an empty list to the user.
 * - `create`: the form is live (`idle`), busy (`creating`), or live below a red banner (`failed`;
 *   no banner without a message). The submitted project is stored until it has been created, so
 *   that leaving the screen loses no text, or until another user signs in.
 * - `subscription`: whether a screen uses the data. Closing and opening within 500 ms counts as not
 *   closed. The cached rows expire 60 s later, and so does a row that is created after that.
 *
 * Left out on purpose: paging, polling, optimistic rows, automatic retries.
 */
import {
  assign,
  emit,
  fromPromise,
  raise,
  setup,
  stateIn,
  type ActorLogic,
  type PromiseActorLogic,
  type SnapshotFrom,
} from 'xstate';
import { errorOf, messageOf, outputOf, valueOf } from './params.ts';
import { notProvided } from './placeholders.ts';
import type { NewProject, Outcome, Project } from './types.ts';

export type ProjectsContext = {
  projects: Project[];
  createErrorMessage: string | undefined;
  submitted: NewProject | undefined;
  /** The email that signed in last, in lower case. Unknown after a page load. */
  email: string | undefined;
};

export type ProjectsEvent =
  | { type: 'projects.opened' }
  | { type: 'projects.closed' }
  /** The rows belong to the previous session, which may be of the same user. */
  | { type: 'user.changed'; email: string }
  | { type: 'createProject'; project: NewProject };

/** Raised by one region for another. */
type InternalEvent =
  /** A list response that is in flight lacks the created project. */
  { type: 'row.appended' } | { type: 'cache.expired' };

/** Events for the app: it logs, moves the focus and empties the form. */
export type ProjectsEmitted =
  | { type: 'list.failed'; reason: unknown }
  | { type: 'project.created'; project: NewProject | undefined }
  | { type: 'project.discarded' };

type ListPromise = PromiseActorLogic<Outcome<Project[]>>;

/** Fetches the list. While it is in flight, its snapshot may have the rows received so far. */
export type ListActor = ActorLogic<
  SnapshotFrom<ListPromise> & { rows?: Project[] | undefined },
  Parameters<ListPromise['transition']>[1],
  unknown
>;

export const projectsMachine = setup({
  types: {
    context: {} as ProjectsContext,
    events: {} as ProjectsEvent | InternalEvent,
    emitted: {} as ProjectsEmitted,
    children: {} as { listProjects: 'listProjects'; createProject: 'createProject' },
    meta: {} as { statements: string[] },
  },
  actors: {
    listProjects: fromPromise(notProvided) as ListActor,
    createProject: fromPromise<Outcome<Project>, NewProject>(notProvided),
  },
  delays: {
    subscriptionBatching: 500,
    keepUnusedData: 60_000,
  },
  guards: {
    succeeded: (_, outcome: Outcome<unknown>) => outcome.ok,
    isSubscribed: stateIn({ subscription: 'active' }),
    isOfAnotherUser: ({ context: { submitted, email } }, newEmail: string) =>
      submitted !== undefined && email !== undefined && email !== newEmail.toLowerCase(),
  },
  actions: {
    storeProjects: assign({ projects: (_, projects: Project[]) => projects }),
    clearProjects: assign({ projects: [] }),
    appendProject: assign({
      projects: ({ context }, project: Project) => withProject(context.projects, project),
    }),
    storeSubmitted: assign({ submitted: (_, project: NewProject) => project }),
    clearSubmitted: assign({ submitted: undefined }),
    storeCreateError: assign({ createErrorMessage: (_, message: string) => message }),
    clearCreateError: assign({ createErrorMessage: undefined }),
    storeEmail: assign({ email: (_, email: string) => email.toLowerCase() }),
    notifyList: raise({ type: 'row.appended' }),
    expireCache: raise({ type: 'cache.expired' }),
    reportListFailure: emit((_, reason: unknown) => ({ type: 'list.failed' as const, reason })),
    announceProject: emit((_, project: NewProject | undefined) => ({
      type: 'project.created' as const,
      project,
    })),
    announceDiscard: emit({ type: 'project.discarded' }),
  },
}).createMachine({
  id: 'projects',
  context: {
    projects: [],
    createErrorMessage: undefined,
    submitted: undefined,
    email: undefined,
  },
  type: 'parallel',
  states: {
    list: {
      initial: 'idle',
      on: {
        'projects.opened': {
          target: '.loading',
          meta: { statements: ['PROJECTS-7', 'LIST-1', 'CHOICE-30'] },
        },
        'user.changed': [
          {
            guard: 'isSubscribed',
            target: '.loading',
            actions: ['clearProjects', { type: 'storeEmail', params: ({ event }) => event.email }],
            meta: { statements: ['LIST-1', 'CHOICE-47'] },
          },
          {
            target: '.idle',
            actions: ['clearProjects', { type: 'storeEmail', params: ({ event }) => event.email }],
            meta: { statements: ['CHOICE-47'] },
          },
        ],
        'cache.expired': {
          target: '.idle',
          actions: 'clearProjects',
          meta: { statements: ['CONST-6'] },
        },
      },
      states: {
        idle: { description: 'No list was fetched, or its rows were dropped.' },
        loading: {
          description: 'A fetch is in flight. Rows of an earlier list stay visible.',
          invoke: {
            id: 'listProjects',
            src: 'listProjects',
            onDone: [
              {
                guard: { type: 'succeeded', params: outputOf },
                target: 'loaded',
                actions: { type: 'storeProjects', params: valueOf },
                meta: { statements: ['LIST-2', 'LIST-3'] },
              },
              {
                target: 'failed',
                actions: ['clearProjects', { type: 'reportListFailure', params: outputOf }],
                meta: { statements: ['LIST-2', 'LIST-4', 'LIST-5', 'ERROR-8'] },
              },
            ],
            onError: {
              target: 'failed',
              actions: ['clearProjects', { type: 'reportListFailure', params: errorOf }],
              meta: { statements: ['LIST-2', 'LIST-4', 'LIST-5', 'ERROR-8', 'CHOICE-19'] },
            },
          },
          on: {
            'row.appended': {
              target: 'loading',
              reenter: true,
              meta: { statements: ['CHOICE-31'] },
            },
          },
        },
        loaded: { description: 'The rows are those of the last response, plus created projects.' },
        failed: { description: 'The last fetch failed. The user sees an empty list.' },
      },
    },
    create: {
      initial: 'idle',
      on: {
        'user.changed': {
          guard: { type: 'isOfAnotherUser', params: ({ event }) => event.email },
          target: '.idle',
          actions: ['clearCreateError', 'announceDiscard'],
          meta: { statements: ['CHOICE-77', 'CHOICE-78'] },
        },
      },
      states: {
        idle: {
          description: 'The form is empty or being filled in.',
          // An entry action, because announceProject needs the project that this one clears.
          entry: 'clearSubmitted',
          on: {
            createProject: {
              target: 'creating',
              actions: { type: 'storeSubmitted', params: ({ event }) => event.project },
              meta: { statements: ['CREATE-1'] },
            },
          },
        },
        creating: {
          description: 'The form is busy. Another submit is ignored.',
          entry: 'clearCreateError',
          invoke: {
            id: 'createProject',
            src: 'createProject',
            input: ({ context }) => context.submitted!,
            onDone: [
              {
                guard: { type: 'succeeded', params: outputOf },
                target: 'idle',
                actions: [
                  { type: 'appendProject', params: valueOf },
                  { type: 'announceProject', params: ({ context }) => context.submitted },
                  'notifyList',
                ],
                meta: { statements: ['CREATE-2', 'CREATE-3', 'CHOICE-27', 'CHOICE-32'] },
              },
              {
                target: 'failed',
                actions: { type: 'storeCreateError', params: messageOf },
                meta: { statements: ['CREATE-4', 'ERROR-5', 'ERROR-6'] },
              },
            ],
            onError: {
              target: 'failed',
              meta: { statements: ['ERROR-7', 'CHOICE-15', 'CHOICE-18'] },
            },
          },
        },
        failed: {
          description: 'The form is live again, with its text and the error message, if any.',
          on: {
            createProject: {
              target: 'creating',
              actions: { type: 'storeSubmitted', params: ({ event }) => event.project },
              meta: { statements: ['CREATE-1', 'CHOICE-2'] },
            },
          },
        },
      },
    },
    subscription: {
      initial: 'inactive',
      on: {
        'projects.opened': { target: '.active', meta: { statements: ['CHOICE-33'] } },
      },
      states: {
        inactive: {
          description: 'No screen uses the data, and no rows are cached for one.',
          on: {
            'row.appended': { target: 'cached', meta: { statements: ['CONST-6', 'CHOICE-94'] } },
          },
        },
        active: {
          description: 'The projects screen is open.',
          on: {
            'projects.closed': { target: 'releasing', meta: { statements: ['CONST-8'] } },
          },
        },
        releasing: {
          description: 'The screen closed less than 500 ms ago.',
          after: {
            subscriptionBatching: { target: 'cached', meta: { statements: ['CONST-8'] } },
          },
        },
        cached: {
          description: 'The rows are kept for 60 s for the next visit.',
          after: {
            keepUnusedData: {
              // Stryker disable next-line StringLiteral: both states react to the same event alike.
              target: 'inactive',
              actions: 'expireCache',
              meta: { statements: ['CONST-6'] },
            },
          },
        },
      },
    },
  },
});

type ProjectsSnapshot = SnapshotFrom<typeof projectsMachine>;

/** Returns whether the list is being fetched. */
export const isFetching = (snapshot: ProjectsSnapshot): boolean =>
  snapshot.matches({ list: 'loading' });

/** Returns whether a project is being created. */
export const isCreating = (snapshot: ProjectsSnapshot): boolean =>
  snapshot.matches({ create: 'creating' });

/** Returns the list with the project at its end, once: a fetched list may hold it already. */
function withProject(projects: Project[], project: Project): Project[] {
  const isSame = ({ id }: Project) => id === project.id;
  const others = projects.some(isSame) ? projects.filter((item) => !isSame(item)) : projects;
  return [...others, project];
}
