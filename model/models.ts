/** What can happen to each machine, and the paths to execute. */
import { createActor, type AnyMachineSnapshot, type AnyStateMachine } from 'xstate';
import { machines } from '../machines/all.ts';
import type { ProjectsContext, ProjectsEvent } from '../machines/projects.ts';
import {
  callNames,
  definitionOf,
  fixtures,
  formNames,
  forms,
  submitEvent,
  type ResultName,
} from './calls.ts';
import { resultEvent } from './results.ts';
import { coverageOf, minimalCover, shortestPaths, type Model, type ModelEvent } from './paths.ts';
import * as steps from './steps.ts';

const isProjectsScreenOpen = (snapshot: AnyMachineSnapshot) =>
  snapshot.matches({ subscription: 'active' });

const projectsModel: Model = {
  machine: machines.projects,
  regions: [
    {
      name: 'list',
      contextKeys: ['projects', 'user'],
      neighbors: ['create', 'subscription'],
    },
    {
      name: 'create',
      contextKeys: ['projects', 'createErrorMessage', 'submitted', 'draft', 'user'],
      neighbors: ['list', 'subscription'],
    },
    { name: 'subscription', contextKeys: [], neighbors: ['list', 'create'] },
  ],
  events: {
    'projects.opened': {
      isPossible: () => true,
      event: (): ProjectsEvent => ({ type: 'projects.opened' }),
      steps: () => [steps.goTo('/projects')],
    },
    'projects.closed': {
      isPossible: isProjectsScreenOpen,
      event: (_, { context }): ProjectsEvent => ({ type: 'projects.closed', draft: context.draft }),
      steps: () => [steps.goTo('/about')],
    },
    'projects.closed with a text': {
      isPossible: isProjectsScreenOpen,
      event: (n): ProjectsEvent => ({ type: 'projects.closed', draft: fixtures.newProject(n) }),
      steps: () => [steps.fill('createProject'), steps.goTo('/about')],
    },
    'user.changed': {
      isPossible: () => true,
      event: (n, { context }): ProjectsEvent => ({
        type: 'user.changed',
        // The search for paths gives all steps the same number.
        user: [n, n + 1]
          .map((number) => fixtures.credentials(number).email)
          .find((email) => email !== context.user)!,
        isElsewhere: false,
      }),
      preceding: visitLogin,
      steps: loginSteps(steps.submit('login')),
    },
    'user.changed again': {
      isPossible: ({ context }) => context.user !== undefined,
      event: (_, { context }): ProjectsEvent => ({
        type: 'user.changed',
        user: context.user,
        isElsewhere: false,
      }),
      preceding: visitLogin,
      steps: loginSteps(steps.loginAsBefore),
    },
    ...callEvents(machines.projects, isProjectsScreenOpen),
    'subscriptionBatching over': delayEvent('releasing', 'subscriptionBatching'),
    'keepUnusedData over': delayEvent('cached', 'keepUnusedData'),
  },
};

/** The sign-in form is on another screen. The user comes back before the response arrives. */
function visitLogin(snapshot: AnyMachineSnapshot): ProjectsEvent[] {
  const { draft } = snapshot.context as ProjectsContext;
  return isProjectsScreenOpen(snapshot)
    ? [{ type: 'projects.closed', draft }, { type: 'projects.opened' }]
    : [];
}

/** A user who is still on /login when the response arrives is led to /projects. */
function loginSteps(login: steps.Step): ModelEvent['steps'] {
  return ({ path }) => [
    steps.goTo('/login'),
    login,
    steps.goTo(path === '/projects' ? path : '/about'),
    steps.end('login', 'success'),
  ];
}

/**
 * Returns the events of a machine's calls: that a user causes one, possible while `isInView`, and
 * each way in which one can end, possible while it is pending.
 */
function callEvents(
  machine: AnyStateMachine,
  isInView: (snapshot: AnyMachineSnapshot) => boolean,
): Model['events'] {
  const submits = formNames.map((form): [string, ModelEvent] => [
    form,
    {
      isPossible: isInView,
      event: (n) => submitEvent(form, Object.values(definitionOf(form).input!(n))),
      steps: ({ calls }) => [
        steps.goTo(forms[form].route),
        calls[form].pending ? steps.submitWhilePending(form) : steps.submit(form),
      ],
    },
  ]);
  const ends = callNames.flatMap((call) =>
    Object.keys(definitionOf(call).results).map((result): [string, ModelEvent] => {
      const event: ModelEvent['event'] = (n, { context }) =>
        resultEvent(call, result, n, context.projects)!;
      return [
        `${call}: ${result}`,
        {
          isPossible: (snapshot) => call in snapshot.children && !!event(0, snapshot),
          event,
          steps: () => [steps.end(call, result as ResultName)],
        },
      ];
    }),
  );
  const calls = Object.keys(machine.implementations.actors);
  const isOfMachine = ([name]: [string, ModelEvent]) => calls.includes(name.split(':')[0]!);
  return Object.fromEntries([...submits, ...ends].filter(isOfMachine));
}

function delayEvent(state: 'releasing' | 'cached', delay: keyof typeof steps.delays): ModelEvent {
  return {
    isPossible: (snapshot) => snapshot.matches({ subscription: state }),
    event: () => ({ type: `xstate.after.${delay}.projects.subscription.${state}` }),
    steps: () => [steps.elapse(steps.delays[delay])],
  };
}

/** Returns the model of a machine that has one region, and no event but those of its calls. */
const simpleModel = (machine: AnyStateMachine): Model => ({
  machine,
  regions: [
    { contextKeys: Object.keys(createActor(machine).getSnapshot().context), neighbors: [] },
  ],
  events: callEvents(machine, () => true),
});

const { projects: _, ...simpleMachines } = machines;

export const models: Model[] = [
  ...Object.values<AnyStateMachine>(simpleMachines).map(simpleModel),
  projectsModel,
];

/** Returns the paths to execute: together they have every item of all machines. */
export const allPaths = () =>
  models.flatMap((model) => minimalCover(shortestPaths(model), coverageOf(model)));
