import {
  createActor,
  fromPromise,
  type Actor,
  type ActorOptions,
  type AnyActorLogic,
  type InspectionEvent,
} from 'xstate';
import { authMachine } from '../machines/auth.ts';
import { projectsMachine } from '../machines/projects.ts';
import type { Api } from './api/api.ts';
import type { Credentials, NewProject, Project } from '../machines/types.ts';

export type AuthActor = Actor<typeof authMachine>;
export type ProjectsActor = Actor<typeof projectsMachine>;
export type Clock = NonNullable<ActorOptions<AnyActorLogic>['clock']>;
export type Inspect = (event: InspectionEvent) => void;
export type Actors = { auth: AuthActor; projects: ProjectsActor; partialList: PartialList };

/** The rows that have arrived of a list that is still on its way, for whoever wants to see them before it is complete. */
export type PartialList = {
  rows: () => Project[] | undefined;
  /** Calls back whenever they are others; gives what ends that. */
  subscribe: (listener: () => void) => () => void;
};

export type ActorsOptions = {
  api: Api;
  /** What the delays of the machines run on. Without it: the browser's timers. */
  clock?: Clock;
  /** Is told whatever the actors do. */
  inspect?: Inspect;
  /** What is in view already of the list that is about to be asked for. */
  prefetchedRows?: () => Project[] | undefined;
  /** Takes what no person is shown: a list that failed, a call that threw. */
  log: (what: string, reason: unknown) => void;
};

/**
 * Supplies the machines with the real calls, and gives the two actors, not yet started. Somebody else may sign in: what was
 * fetched before belongs to whoever was signed in then, so it is dropped, and fetched anew where it is in view.
 */
export function createActors({
  api,
  clock,
  inspect,
  prefetchedRows: arrived = () => undefined,
  log,
}: ActorsOptions): Actors {
  const logged = async <Value>(operationId: string, call: Promise<Value>): Promise<Value> => {
    try {
      return await call;
    } catch (error) {
      log(operationId, error);
      throw error;
    }
  };
  const arriving = createPartialList();
  const options = { ...(clock && { clock }), ...(inspect && { inspect }) };

  const auth = createActor(
    authMachine.provide({
      actors: {
        login: fromPromise(({ input, signal }: { input: Credentials; signal: AbortSignal }) =>
          logged('login', api.login(input, signal)),
        ),
        registerUser: fromPromise(
          ({ input, signal }: { input: Credentials; signal: AbortSignal }) =>
            logged('registerUser', api.registerUser(input, signal)),
        ),
      },
    }),
    options,
  );
  const projects = createActor(
    projectsMachine.provide({
      actors: {
        listProjects: fromPromise(({ self, signal }) => {
          const first = arrived();
          arriving.showOnlyOf(self, first);
          return api.listProjects(signal, (rows) => {
            if (!signal.aborted && rows.length > (first?.length ?? 0)) arriving.show(rows);
          });
        }),
        createProject: fromPromise(
          ({ input, signal }: { input: NewProject; signal: AbortSignal }) =>
            logged('createProject', api.createProject(input, signal)),
        ),
      },
    }),
    options,
  );

  // Another call begins, or the list is there, or not to be had.
  projects.subscribe(({ children }) => arriving.showOnlyOf(children['listProjects']));
  projects.on('listFailed', ({ reason }) => log('listProjects', reason));
  auth.on('loggedIn', () => {
    projects.send({ type: 'projects.dropped' });
    if (projects.getSnapshot().matches({ watch: 'open' })) {
      projects.send({ type: 'projects.opened' });
    }
  });
  return { auth, projects, partialList: arriving };
}

function createPartialList() {
  const listeners = new Set<() => void>();
  let rows: Project[] | undefined;
  let call: unknown;
  const show = (others: Project[] | undefined) => {
    if (rows === others) return;
    rows = others;
    for (const listener of listeners) listener();
  };
  return {
    show,
    showOnlyOf(current: unknown, first?: Project[]) {
      if (current === call) return;
      call = current;
      show(first);
    },
    rows: () => rows,
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  } satisfies PartialList & Record<string, unknown>;
}
