/**
 * The projects that a person sees and the one that they are creating. Three things go on side by side:
 *
 * - `list`: nothing asked yet (`idle`), on its way (`loading`, with the rows from before still in view), there (`loaded`) or
 *   not to be had (`failed`, which a person sees as an empty list).
 * - `create`: a live form (`idle`), a busy one (`creating`), or a live one below a red banner (`failed`; no banner when there is
 *   no message). What was submitted is kept until it succeeds, so that nothing typed is lost by leaving the screen.
 * - `watch`: whether the screen is open. Closing and opening within 500 ms is taken as never having closed; 60 s later
 *   the rows are dropped.
 *
 * Left out on purpose: paging, polling, rows shown before the server knows them, retrying by itself.
 */
import { assertEvent, assign, emit, fromPromise, raise, setup } from 'xstate';
import type { NewProject, Outcome, Project } from './types.ts';
import { outputOf, errorOf, notProvided } from './placeholders.ts';

export type ProjectsContext = {
  projects: Project[];
  createErrorMessage: string | undefined;
  submitted: NewProject | undefined;
};

export type ProjectsEvent =
  | { type: 'projects.opened' }
  | { type: 'projects.closed' }
  /** The rows belong to nobody any more: kept for long enough, or somebody else signed in. */
  | { type: 'projects.dropped' }
  | { type: 'createProject'; project: NewProject }
  /** From `create` to `list`: an answer that is still on its way does not know this project. */
  | { type: 'project.created' };

/** What the app may act on: it logs and moves the focus, the machine does not. */
export type ProjectsEmitted =
  | { type: 'listFailed'; reason: unknown }
  | { type: 'projectCreated'; project: NewProject | undefined };

export const projectsMachine = setup({
  types: {
    context: {} as ProjectsContext,
    events: {} as ProjectsEvent,
    emitted: {} as ProjectsEmitted,
    meta: {} as { statements: string[] },
  },
  actors: {
    listProjects: fromPromise<Outcome<Project[]>>(notProvided('listProjects')),
    createProject: fromPromise<Outcome<Project>, NewProject>(notProvided('createProject')),
  },
  delays: {
    batching: 500,
    keeping: 60_000,
  },
  guards: {
    succeeded: (_, call: Outcome<unknown>) => call.ok,
  },
  actions: {
    replaceProjects: assign({
      projects: ({ context }, list: Outcome<Project[]>) =>
        list.ok ? list.value : context.projects,
    }),
    clearProjects: assign({ projects: [] }),
    appendProject: assign({
      projects: ({ context }, create: Outcome<Project>) =>
        create.ok ? withProject(context.projects, create.value) : context.projects,
    }),
    storeSubmitted: assign({ submitted: ({ event }) => submittedProject(event) }),
    clearSubmitted: assign({ submitted: undefined }),
    storeCreateError: assign({
      createErrorMessage: (_, create: Outcome<unknown>) => (create.ok ? undefined : create.message),
    }),
    clearCreateError: assign({ createErrorMessage: undefined }),
    notifyList: raise({ type: 'project.created' }),
    dropProjects: raise({ type: 'projects.dropped' }),
    reportListFailure: emit((_, why: unknown) => ({ type: 'listFailed' as const, reason: why })),
    announceProject: emit(({ context }) => ({
      type: 'projectCreated' as const,
      project: context.submitted,
    })),
  },
}).createMachine({
  id: 'projects',
  context: { projects: [], createErrorMessage: undefined, submitted: undefined },
  type: 'parallel',
  states: {
    list: {
      initial: 'idle',
      on: {
        'projects.opened': {
          target: '.loading',
          meta: { statements: ['PROJECTS-7', 'LIST-1', 'CHOICE-30'] },
        },
        'projects.dropped': {
          target: '.idle',
          actions: 'clearProjects',
          meta: { statements: ['CONST-6', 'CHOICE-47'] },
        },
      },
      states: {
        idle: {},
        loading: {
          invoke: {
            id: 'listProjects',
            src: 'listProjects',
            onDone: [
              {
                guard: { type: 'succeeded', params: outputOf },
                target: 'loaded',
                actions: { type: 'replaceProjects', params: outputOf },
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
            'project.created': {
              target: 'loading',
              reenter: true,
              meta: { statements: ['CHOICE-31'] },
            },
          },
        },
        loaded: {},
        failed: {},
      },
    },
    create: {
      initial: 'idle',
      states: {
        idle: {
          on: {
            createProject: { target: 'creating', meta: { statements: ['CREATE-1'] } },
          },
        },
        creating: {
          entry: ['clearCreateError', 'storeSubmitted'],
          invoke: {
            id: 'createProject',
            src: 'createProject',
            input: ({ event }) => submittedProject(event),
            onDone: [
              {
                guard: { type: 'succeeded', params: outputOf },
                target: 'idle',
                actions: [
                  { type: 'appendProject', params: outputOf },
                  'clearCreateError',
                  'announceProject',
                  'clearSubmitted',
                  'notifyList',
                ],
                meta: { statements: ['CREATE-2', 'CREATE-3', 'CHOICE-27', 'CHOICE-32'] },
              },
              {
                target: 'failed',
                actions: { type: 'storeCreateError', params: outputOf },
                meta: { statements: ['CREATE-4', 'ERROR-5', 'ERROR-6'] },
              },
            ],
            onError: {
              target: 'failed',
              actions: 'clearCreateError',
              meta: { statements: ['ERROR-7', 'CHOICE-15', 'CHOICE-18'] },
            },
          },
        },
        failed: {
          on: {
            createProject: { target: 'creating', meta: { statements: ['CREATE-1', 'CHOICE-2'] } },
          },
        },
      },
    },
    watch: {
      initial: 'closed',
      on: {
        'projects.opened': { target: '.open', meta: { statements: ['CHOICE-33'] } },
      },
      states: {
        closed: {},
        open: {
          on: {
            'projects.closed': { target: 'closing', meta: { statements: ['CONST-8'] } },
          },
        },
        closing: {
          after: {
            batching: { target: 'kept', meta: { statements: ['CONST-8'] } },
          },
        },
        kept: {
          after: {
            keeping: {
              target: 'closed',
              actions: 'dropProjects',
              meta: { statements: ['CONST-6'] },
            },
          },
        },
      },
    },
  },
});

/** The list with the project at its end, and once: a list fetched meanwhile may hold it already. */
function withProject(projects: Project[], project: Project): Project[] {
  const isSame = ({ id }: Project) => id === project.id;
  const others = projects.some(isSame) ? projects.filter((each) => !isSame(each)) : projects;
  return [...others, project];
}

function submittedProject(event: ProjectsEvent): NewProject {
  assertEvent(event, 'createProject');
  return event.project;
}
