/**
 * Models the list of projects and the form that creates one. Three regions run in parallel:
 *
 * - `list`: whether the list is being fetched. Cached rows stay visible during a fetch, and a first
 *   list while it is received. A failed fetch looks like an empty list to the user.
 * - `create`: the form is live (`idle`), busy (`creating`), or live below a red banner (`failed`;
 *   no banner without a message). The text of the form is stored when it is submitted and when its
 *   screen is closed, so that leaving the screen loses no text. While the screen is open, the form
 *   owns its text.
 * - `subscription`: whether a screen uses the data. Closing and opening within 500 ms counts as not
 *   closed. The cached rows expire 60 s later, and so does a row that is created after that.
 *
 * Left out on purpose: paging, polling, optimistic rows, automatic retries.
 */
/* oxlint-disable max-lines -- a chart is one document */
import { assign, emit, fromPromise, raise, setup, stateIn, type SnapshotFrom } from 'xstate';
import { emptyValues, schemaFields, textOfFields } from '../generated/operations.ts';
import { errorOf, failureMessage, outputOf, succeeded, successValue } from './params.ts';
import { notProvided } from './placeholders.ts';
import type { NewProject, Outcome, Project } from './types.ts';

export type ProjectsContext = {
  projects: Project[];
  /** The rows of the list that is being fetched, received so far. */
  received: Project[];
  createErrorMessage: string | undefined;
  submitted: NewProject | undefined;
  /** What stood in the form when it was submitted, or when its screen was closed. */
  draft: NewProject;
  /** What stands in the form. The app keeps it, so that a reload does not lose it. */
  typed: NewProject;
  /** The projects created since the screen was opened. */
  createdCount: number;
  /** A key of the user who signed in last. Equal keys mean the same user. */
  user: string | undefined;
};

export type ProjectsEvent =
  /** Sent again when the user follows the link of the open screen. */
  | { type: 'projects.opened' }
  | { type: 'projects.closed'; draft: NewProject }
  | { type: 'draft.typed'; draft: NewProject }
  | RowsReceived
  /** A user may have signed in, here or in another tab. The rows belong to the session before. */
  | SessionChanged
  | { type: 'createProject'; project: NewProject };

type SessionChanged = { type: 'session.changed'; user: string; isElsewhere: boolean };

/** Sent by the fetch of the list, and by the prerendered page, which has its first rows. */
type RowsReceived = { type: 'rows.received'; rows: Project[] };

/** Raised by one region for another. */
type InternalEvent =
  /** The list lacks the created project if it is in flight, and others too if it has failed. */
  { type: 'list.outdated' } | { type: 'row.appended' } | { type: 'cache.expired' };

/** Events for the app: it logs, moves the focus and empties the form. */
export type ProjectsEmitted =
  | { type: 'list.failed'; reason: unknown }
  | { type: 'project.created'; project: NewProject | undefined }
  | { type: 'project.discarded' };

/** Receives the rows while the list is fetched. */
export type ListInput = { parent: { send: (event: RowsReceived) => void } };

/** Signed in, because the backend has sent projects, although the browser knows no key. */
const unknownUser = 'unknown';

export const emptyDraft: NewProject = emptyValues(schemaFields.NewProject);

/** In milliseconds. */
export const delays = { subscriptionBatching: 500, keepUnusedData: 60_000 };

export const projectsMachine = setup({
  types: {
    context: {} as ProjectsContext,
    events: {} as ProjectsEvent | InternalEvent,
    emitted: {} as ProjectsEmitted,
    /** Default: no user has signed in. The draft is that of an earlier page. */
    input: undefined as { user?: string | undefined; draft?: NewProject } | undefined,
    meta: {} as { statements: string[] },
  },
  actors: {
    listProjects: fromPromise<Outcome<Project[]>, ListInput>(notProvided),
    createProject: fromPromise<Outcome<Project>, NewProject>(notProvided),
  },
  delays,
  guards: {
    succeeded,
    isSubscribed: stateIn({ subscription: 'active' }),
    /** A list that is fetched again starts over with rows that are visible already. */
    hasMoreRows: ({ context }, rows: Project[]) => rows.length > context.received.length,
    /** A form that held no draft may have a text of the user who is signing in here. */
    endsDraft: ({ context: { submitted, draft, user } }, change: SessionChanged) =>
      user !== undefined &&
      user !== change.user &&
      (change.isElsewhere || submitted !== undefined || !isSameText(draft, emptyDraft)),
  },
  actions: {
    storeProjects: assign({
      projects: (_, projects: Project[]) => projects,
      user: ({ context }) => context.user ?? unknownUser,
    }),
    clearProjects: assign({ projects: [], received: [] }),
    storeReceived: assign({ received: (_, rows: Project[]) => rows }),
    clearReceived: assign({ received: [] }),
    appendProject: assign({
      projects: ({ context }, project: Project) => withProject(context.projects, project),
    }),
    storeSubmitted: assign({ submitted: (_, project: NewProject) => project }),
    clearSubmitted: assign({ submitted: undefined }),
    storeTyped: assign({ typed: (_, draft: NewProject) => draft }),
    storeDraft: assign((_, draft: NewProject) => ({ draft, typed: draft })),
    clearDraft: assign({ draft: emptyDraft, typed: emptyDraft }),
    clearDraftOfCreated: assign(({ context: { draft, typed, submitted } }) => ({
      draft: isSameText(draft, submitted) ? emptyDraft : draft,
      typed: isSameText(typed, submitted) ? emptyDraft : typed,
    })),
    countCreated: assign({ createdCount: ({ context }) => context.createdCount + 1 }),
    clearCreatedCount: assign({ createdCount: 0 }),
    storeCreateError: assign({ createErrorMessage: (_, message: string) => message }),
    clearCreateError: assign({ createErrorMessage: undefined }),
    storeUser: assign({ user: (_, user: string) => user }),
    notifyList: raise({ type: 'list.outdated' }),
    notifySubscription: raise({ type: 'row.appended' }),
    expireCache: raise({ type: 'cache.expired' }),
    reportListFailure: emit((_, reason: unknown) => ({ type: 'list.failed' as const, reason })),
    emitCreated: emit((_, project: NewProject | undefined) => ({
      type: 'project.created' as const,
      project,
    })),
    emitDiscarded: emit({ type: 'project.discarded' }),
  },
}).createMachine({
  id: 'projects',
  context: ({ input }) => ({
    projects: [],
    received: [],
    createErrorMessage: undefined,
    submitted: undefined,
    draft: input?.draft ?? emptyDraft,
    typed: input?.draft ?? emptyDraft,
    createdCount: 0,
    user: input?.user,
  }),
  type: 'parallel',
  states: {
    list: {
      initial: 'idle',
      on: {
        'projects.opened': {
          target: '.loading',
          meta: { statements: ['PROJECTS-7', 'LIST-1', 'CHOICE-30', 'CHOICE-100'] },
        },
        'session.changed': [
          {
            guard: 'isSubscribed',
            target: '.loading',
            actions: ['clearProjects', { type: 'storeUser', params: ({ event }) => event.user }],
            meta: { statements: ['LIST-1', 'CHOICE-47'] },
          },
          {
            target: '.idle',
            actions: ['clearProjects', { type: 'storeUser', params: ({ event }) => event.user }],
            meta: { statements: ['CHOICE-47'] },
          },
        ],
        'rows.received': {
          guard: { type: 'hasMoreRows', params: ({ event }) => event.rows },
          actions: { type: 'storeReceived', params: ({ event }) => event.rows },
          meta: { statements: ['CHOICE-51', 'CHOICE-69'] },
        },
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
          exit: 'clearReceived',
          invoke: {
            id: 'listProjects',
            src: 'listProjects',
            input: ({ self }) => ({ parent: self }),
            onDone: [
              {
                guard: { type: 'succeeded', params: outputOf },
                target: 'loaded',
                actions: { type: 'storeProjects', params: successValue },
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
            'list.outdated': {
              target: 'loading',
              reenter: true,
              meta: { statements: ['CHOICE-31'] },
            },
          },
        },
        loaded: { description: 'The rows are those of the last response, plus created projects.' },
        failed: {
          description: 'The last fetch failed. The user sees no rows, and no claim about them.',
          on: {
            'list.outdated': {
              guard: 'isSubscribed',
              target: 'loading',
              meta: { statements: ['CHOICE-99'] },
            },
          },
        },
      },
    },
    create: {
      initial: 'idle',
      on: {
        'session.changed': [
          {
            guard: { type: 'endsDraft', params: ({ event }) => event },
            target: '.idle',
            actions: ['clearCreateError', 'clearDraft', 'emitDiscarded'],
            meta: { statements: ['CHOICE-77', 'CHOICE-95'] },
          },
          { actions: 'clearCreateError', meta: { statements: ['CHOICE-78'] } },
        ],
        createProject: {
          target: '.creating',
          actions: [
            { type: 'storeSubmitted', params: ({ event }) => event.project },
            { type: 'storeDraft', params: ({ event }) => event.project },
          ],
          meta: { statements: ['CREATE-1', 'CHOICE-2'] },
        },
        'draft.typed': {
          actions: { type: 'storeTyped', params: ({ event }) => event.draft },
          meta: { statements: ['CHOICE-96'] },
        },
        'projects.closed': {
          actions: { type: 'storeDraft', params: ({ event }) => event.draft },
          meta: { statements: ['CHOICE-48', 'CHOICE-95'] },
        },
      },
      states: {
        idle: {
          description: 'The form is empty or being filled in.',
          // An entry action, because emitCreated needs the project that this one clears.
          entry: 'clearSubmitted',
        },
        creating: {
          description: 'The form is busy. Another submit is ignored.',
          entry: 'clearCreateError',
          on: { createProject: { meta: { statements: ['CHOICE-7'] } } },
          invoke: {
            id: 'createProject',
            src: 'createProject',
            input: ({ context }) => context.submitted!,
            onDone: [
              {
                guard: { type: 'succeeded', params: outputOf },
                target: 'idle',
                actions: [
                  { type: 'appendProject', params: successValue },
                  { type: 'emitCreated', params: ({ context }) => context.submitted },
                  'clearDraftOfCreated',
                  'notifyList',
                  'notifySubscription',
                ],
                meta: { statements: ['CREATE-2', 'CREATE-3', 'CHOICE-27', 'CHOICE-32'] },
              },
              {
                target: 'failed',
                actions: { type: 'storeCreateError', params: failureMessage },
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
            'row.appended': { target: 'cached', meta: { statements: ['CONST-6', 'CHOICE-97'] } },
          },
        },
        active: {
          description: 'The projects screen is open.',
          on: {
            'projects.closed': {
              target: 'releasing',
              actions: 'clearCreatedCount',
              meta: { statements: ['CONST-8'] },
            },
            'row.appended': { actions: 'countCreated', meta: { statements: ['CHOICE-27'] } },
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

/** Returns whether the last fetch of the list has failed, so that nothing is known about it. */
export const hasListFailed = (snapshot: ProjectsSnapshot): boolean =>
  snapshot.matches({ list: 'failed' });

/** Returns the rows to show. A list that is fetched again replaces the rows as a whole. */
export const visibleRows = ({ context: { projects, received } }: ProjectsSnapshot): Project[] =>
  projects.length > 0 ? projects : received;

/** Returns whether a project is being created. */
export const isCreating = (snapshot: ProjectsSnapshot): boolean =>
  snapshot.matches({ create: 'creating' });

/** Returns whether an event empties a form with this text. A text typed meanwhile is kept. */
export const emptiesForm = (event: ProjectsEmitted, text: NewProject): boolean =>
  event.type === 'project.discarded' ||
  (event.type === 'project.created' && isSameText(text, event.project));

/** Returns whether two projects have the same text in each field. */
export function isSameText(text: NewProject, other: NewProject | undefined): boolean {
  const textOf = (project: NewProject) => textOfFields(schemaFields.NewProject, project);
  return other !== undefined && textOf(text) === textOf(other);
}

/**
 * Returns the list with the project at its end, once: a fetched list may hold it already. Numbers
 * above the safe integers are equal after rounding, although the ids of the backend differ.
 */
function withProject(projects: Project[], project: Project): Project[] {
  const isExact = typeof project.id === 'string' || Math.abs(project.id) <= Number.MAX_SAFE_INTEGER;
  const isSame = (other: Project) =>
    other.id === project.id && (isExact || isSameText(other, project));
  const others = projects.some(isSame) ? projects.filter((item) => !isSame(item)) : projects;
  return [...others, project];
}
