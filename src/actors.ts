import {
  createActor,
  fromPromise,
  type Actor,
  type ActorOptions,
  type AnyActorLogic,
  type InspectionEvent,
} from 'xstate';
import { authMachine } from '../machines/auth.ts';
import { projectsMachine, type ListActor } from '../machines/projects.ts';
import type { Api } from './api/api.ts';
import type { Credentials, Outcome, Project } from '../machines/types.ts';

export type AuthActor = Actor<typeof authMachine>;
export type ProjectsActor = Actor<typeof projectsMachine>;
export type Clock = NonNullable<ActorOptions<AnyActorLogic>['clock']>;
export type Inspect = (event: InspectionEvent) => void;
export type Actors = { auth: AuthActor; projects: ProjectsActor };

export type ActorsOptions = {
  api: Api;
  /** Runs the delays of the machines. Default: the browser's timers. */
  clock?: Clock;
  /** Receives the inspection events of both actors. */
  inspect?: Inspect;
  /** Returns the rows that the prerendered page shows already. Called when a list is fetched. */
  prefetchedRows?: () => Project[] | undefined;
  /** Default: there are no screens. */
  router?: {
    state: { location: { pathname: string } };
    navigate: (target: { to: '/login' | '/projects' }) => unknown;
  };
  /** Logs what the user is not shown: a failed list, an exception of a call. */
  log: (operationId: string, reason: unknown) => void;
};

/** Connects the machines with the API and the router. Returns both actors, not yet started. */
export function createActors({
  api,
  clock,
  inspect,
  prefetchedRows = () => undefined,
  router,
  log,
}: ActorsOptions): Actors {
  /** Returns an actor that runs one call and logs what it throws. */
  const fromCall = <Input, Output>(
    operationId: string,
    call: (input: Input, signal: AbortSignal) => Promise<Output>,
  ) =>
    fromPromise<Output, Input>(async ({ input, signal }) => {
      try {
        return await call(input, signal);
      } catch (error) {
        log(operationId, error);
        throw error;
      }
    });
  const options = { ...(clock && { clock }), ...(inspect && { inspect }) };

  const auth = createActor(
    authMachine.provide({
      actors: {
        login: fromCall('login', async (credentials: Credentials, signal) => {
          const outcome = await api.login(credentials, signal);
          return outcome.ok ? { ...outcome, value: credentials.email } : outcome;
        }),
        registerUser: fromCall('registerUser', api.registerUser),
      },
    }),
    options,
  );
  const projects = createActor(
    projectsMachine.provide({
      actors: {
        listProjects: fromListStream(api, prefetchedRows),
        createProject: fromCall('createProject', api.createProject),
      },
    }),
    options,
  );

  projects.on('list.failed', ({ reason }) => log('listProjects', reason));
  /** Returns a listener that navigates if the user is still on the screen `from`. */
  const navigation = (from: string, to: '/login' | '/projects') => () => {
    if (router?.state.location.pathname === from) void router.navigate({ to });
  };
  auth.on('user.registered', navigation('/register', '/login'));
  auth.on('user.loggedIn', ({ email }) => projects.send({ type: 'user.changed', email }));
  auth.on('user.loggedIn', navigation('/login', '/projects'));
  return { auth, projects };
}

/**
 * Returns the actor that fetches the list. Its snapshot has the rows received so far, so that the
 * screen shows them while the rest is in flight.
 */
function fromListStream(api: Api, prefetchedRows: () => Project[] | undefined): ListActor {
  const logic: ListActor = fromPromise<Outcome<Project[]>>(({ self, signal }) =>
    api.listProjects(signal, (rows) => {
      if (!signal.aborted) self.send({ type: 'rows.received', rows });
    }),
  );
  return {
    ...logic,
    getInitialSnapshot: (scope, input) => ({
      ...logic.getInitialSnapshot(scope, input),
      rows: prefetchedRows(),
    }),
    transition(snapshot, event, scope) {
      if (event.type !== 'rows.received') return logic.transition(snapshot, event, scope);
      const rows = event['rows'] as Project[];
      // The stream starts over with rows that are in view already.
      return rows.length > (snapshot.rows?.length ?? 0) ? { ...snapshot, rows } : snapshot;
    },
  };
}
