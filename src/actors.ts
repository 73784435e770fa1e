import {
  createActor,
  fromPromise,
  type Actor,
  type ActorOptions,
  type AnyActorLogic,
  type InspectionEvent,
} from 'xstate';
import { authMachine } from '../machines/auth.ts';
import { projectsMachine, type ListInput } from '../machines/projects.ts';
import { bodyFields, type OperationId } from '../generated/operations.ts';
import { textToSend, type FieldRule } from '../shared/field-rules.ts';
import type { Api, Input, Output } from './api/api.ts';
import { createDrafts, type Drafts } from './draft.ts';
import type { Session } from './session.ts';
import type { Outcome, Project } from '../machines/types.ts';

export type AuthActor = Actor<typeof authMachine>;
export type ProjectsActor = Actor<typeof projectsMachine>;
export type ActorClock = NonNullable<ActorOptions<AnyActorLogic>['clock']>;
export type Inspect = (event: InspectionEvent) => void;
export type Actors = { auth: AuthActor; projects: ProjectsActor };

type Navigation = {
  /** Absent before the first screen. */
  fromLocation?: object | undefined;
  toLocation: { pathname: string };
  hrefChanged: boolean;
};

export type ActorsOptions = {
  api: Api;
  session: Omit<Session, 'signInUnanswered'>;
  /** Default: those of this tab. */
  drafts?: Drafts;
  /** Runs the delays of the machines. Default: the browser's timers. */
  clock?: ActorClock;
  /** Receives the inspection events of both actors. */
  inspect?: Inspect;
  /** Default: there are no screens. */
  router?: {
    state: { location: { pathname: string } };
    navigate: (target: { to: '/login' | '/projects' }) => unknown;
    subscribe: (event: 'onBeforeNavigate', listener: (navigation: Navigation) => void) => unknown;
  };
  /** Logs what the user is not shown: a failed list, an exception of a call. */
  log: (operationId: string, reason: unknown) => void;
};

/** Returns the input of a call with each text as the contract says that it is sent. */
function inputToSend<Id extends OperationId>(id: Id, input: Input<Id>): Input<Id> {
  const rules: Record<string, FieldRule> = id in bodyFields ? bodyFields[id as never] : {};
  const texts = Object.entries(input ?? {}).map(([name, value]) => [
    name,
    typeof value === 'string' ? textToSend(rules[name], value) : value,
  ]);
  return input && (Object.fromEntries(texts) as Input<Id>);
}

/** Connects the machines with the API and the router. Returns both actors, not yet started. */
// oxlint-disable-next-line max-lines-per-function -- shows in one place all that connects the machines
export function createActors({
  api,
  session,
  drafts = createDrafts(),
  clock,
  inspect,
  router,
  log,
}: ActorsOptions): Actors {
  /** Returns an actor that makes a call and logs what it throws. */
  const fromCall = <Id extends OperationId, Result = Outcome<Output<Id>>>(
    id: Id,
    toOutput?: (outcome: Outcome<Output<Id>>, input: Input<Id>) => Result,
  ) =>
    fromPromise<Result, Input<Id>>(async ({ input, signal }) => {
      try {
        const outcome = await api.call(id, inputToSend(id, input), signal);
        return toOutput ? toOutput(outcome, input) : (outcome as Result);
      } catch (error) {
        log(id, error);
        throw error;
      }
    });
  const options = { ...(clock && { clock }), ...(inspect && { inspect }) };

  const auth = createActor(
    authMachine.provide({
      actors: {
        login: fromCall('login', (outcome, { email }) =>
          outcome.ok ? { ...outcome, value: email } : outcome,
        ),
        registerUser: fromCall('registerUser', (outcome, { email }) =>
          outcome.ok ? { ...outcome, value: { user: outcome.value, email } } : outcome,
        ),
      },
    }),
    options,
  );
  const projects = createActor(
    projectsMachine.provide({
      actors: {
        listProjects: fromPromise<Outcome<Project[]>, ListInput>(({ input: { parent }, signal }) =>
          api.call('listProjects', undefined, signal, (rows) => {
            if (!signal.aborted) parent.send({ type: 'rows.received', rows });
          }),
        ),
        createProject: fromCall('createProject'),
      },
    }),
    { ...options, input: { user: session.user(), draft: drafts.read(session.user()) } },
  );
  let kept = projects.getSnapshot().context;
  projects.subscribe(({ context }) => {
    if (context.typed !== kept.typed || context.user !== kept.user)
      drafts.store(session.user(), context.typed);
    kept = context;
  });

  projects.on('list.failed', ({ reason }) => log('listProjects', reason));
  /** Returns a listener that navigates if the user is still on the screen `from`. */
  const navigation = (from: string, to: '/login' | '/projects') => () => {
    if (router?.state.location.pathname === from) void router.navigate({ to });
  };
  const unsubscribe = session.subscribe((change) =>
    projects.send({ type: 'session.changed', ...change }),
  );
  projects.subscribe({ complete: unsubscribe });
  // A backend may begin a session at a registration, and its cookie cannot be read.
  for (const type of ['user.loggedIn', 'user.registered'] as const)
    auth.on(type, ({ email }) => session.signIn(email));
  auth.on('user.registered', navigation('/register', '/login'));
  auth.on('user.loggedIn', navigation('/login', '/projects'));
  // The link of the screen in view opens it again.
  router?.subscribe('onBeforeNavigate', ({ fromLocation, toLocation, hrefChanged }) => {
    if (fromLocation && !hrefChanged && toLocation.pathname === '/projects')
      projects.send({ type: 'projects.opened' });
  });
  return { auth, projects };
}
