/** Seeds faults in the machines that the exploration must find, with the fewest steps to each. */
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import {
  assign,
  StateMachine,
  type AnyActorRef,
  type AnyStateMachine,
  type SnapshotFrom,
} from 'xstate';
import { schemaFields } from '../../generated/operations.ts';
import { authMachine } from '../../machines/auth.ts';
import { emptyDraft, isSameText, projectsMachine } from '../../machines/projects.ts';
import type { Call } from '../../model/calls.ts';
import { createExploredApp } from '../../model/explored-app.ts';
import { explore } from '../../model/exploration.ts';
import { scopes } from '../../model/scopes.ts';

/** Makes the app run a faulty machine instead of another. */
function replace(machine: AnyStateMachine, faulty: AnyStateMachine) {
  const provide = faulty.provide.bind(faulty);
  vi.spyOn(machine, 'provide').mockImplementation(provide);
}
afterEach(() => void vi.restoreAllMocks());

/** Explores every scope that has exactly these calls. */
const exploreCalls = (names: Call[], createApp = () => createExploredApp(), maxStates?: number) =>
  explore(
    createApp,
    scopes.filter(({ calls }) => String(calls.toSorted()) === String(names.toSorted())),
    maxStates,
  );

/** Returns a machine with another configuration of its root. */
const withConfig = (machine: AnyStateMachine, change: object): AnyStateMachine =>
  new StateMachine({ ...machine.config, ...change }, machine.implementations as never);

test('finds rows that are kept at sign-in [CHOICE-47]', async () => {
  const faulty = projectsMachine.provide({
    actions: {
      clearProjects: assign({
        projects: ({ context, event }) =>
          event.type === 'session.changed' ? context.projects : [],
      }),
    },
  });
  replace(projectsMachine, faulty);
  const { difference } = await exploreCalls(['login', 'listProjects']);
  expect(difference?.steps).toEqual([
    'go to /projects',
    'listProjects ends: success',
    'another user signs in in another tab',
  ]);
  expect(difference?.differences).toEqual([
    expect.stringMatching(
      /^list\.rows: the app has \[\["Listed .+\]\], and the specification says \[\]$/,
    ),
    'list.note: the app has nothing, and the specification says "Loading projects…"',
  ]);
});

type ProjectsArgs = { context: SnapshotFrom<typeof projectsMachine>['context'] };

/** Returns `projects` with another rule for the projects that a sign-in discards. */
const withDiscards = (endsDraft: (args: ProjectsArgs, signIn: { user: string }) => boolean) =>
  projectsMachine.provide({ guards: { endsDraft } });
const discardsAll = ({ context: { submitted } }: ProjectsArgs) => submitted !== undefined;

test('finds a submitted project that is discarded when the same email signs in [CHOICE-78]', async () => {
  const isOther = ({ context }: ProjectsArgs) =>
    context.user !== undefined &&
    (discardsAll({ context }) || !isSameText(context.draft, emptyDraft));
  replace(projectsMachine, withDiscards(isOther));
  const { difference } = await exploreCalls(['login', 'createProject']);
  expect(difference?.steps).toContain('submit login as the user before');
});

test('finds a text that was not submitted and is kept when another email signs in [CHOICE-95]', async () => {
  const isOther = ({ context }: ProjectsArgs, { user }: { user: string }) =>
    discardsAll({ context }) && ![undefined, user].includes(context.user);
  replace(projectsMachine, withDiscards(isOther));
  const { difference } = await exploreCalls(['login', 'createProject']);
  expect(difference?.steps).toContain('fill createProject');
  expect(difference?.differences).toEqual([expect.stringMatching(/^form\.values: /)]);
});

test('finds a discarded text that comes back after a reload [CHOICE-96]', async () => {
  const faulty = projectsMachine.provide({
    actions: { clearDraft: assign({ draft: emptyDraft }) },
  });
  replace(projectsMachine, faulty);
  const { difference } = await exploreCalls(['listProjects', 'createProject']);
  expect(difference?.steps.at(-1)).toBe('reload the page');
  expect(difference?.differences).toEqual([expect.stringMatching(/^form\.values: /)]);
});

test('finds a late response to an aborted call that is accepted [CHOICE-8]', async () => {
  let auth: AnyActorRef;
  const faulty = withConfig(authMachine, {
    entry: ({ self }: { self: AnyActorRef }) => {
      auth = self;
    },
    on: { 'late.success': '.authenticated' },
  });
  replace(authMachine, faulty);
  const { difference } = await exploreCalls(['login', 'registerUser'], () =>
    createExploredApp((api) => ({
      async call(id, input, signal) {
        const outcome = await api.call(id, input, signal);
        if (id === 'login' && signal.aborted && outcome.ok) auth.send({ type: 'late.success' });
        return outcome;
      },
    })),
  );
  expect(difference).toEqual({
    steps: [
      'go to /login',
      'submit login',
      'go to /register',
      'submit registerUser',
      'the aborted login ends late: success',
    ],
    differences: [
      'form.busy: the app has false, and the specification says true',
      'authenticated: the app has true, and the specification says false',
      'calls.registerUser.pending: the app has 0, and the specification says 1',
    ],
  });
});

test('finds a login error that is cleared when the next login starts [CHOICE-1]', async () => {
  const { states } = authMachine.config;
  const loggingIn = { ...states?.loggingIn, entry: 'clearLoginError' };
  replace(authMachine, withConfig(authMachine, { states: { ...states, loggingIn } }));
  const { difference } = await exploreCalls(['login', 'registerUser']);
  expect(difference).toEqual({
    steps: ['go to /login', 'submit login', 'login ends: refusal', 'submit login'],
    differences: ['banner: the app has nothing, and the specification says "Refused 3."'],
  });
});

test('finds a project that never expires, because it was created after the rows were dropped [CHOICE-97]', async () => {
  const { states } = projectsMachine.config;
  const subscription = { ...states?.subscription?.states, inactive: {} };
  const faulty = { ...states, subscription: { ...states?.subscription, states: subscription } };
  replace(projectsMachine, withConfig(projectsMachine, { states: faulty }));
  const { difference } = await exploreCalls(['listProjects', 'createProject']);
  expect(difference?.steps).toContain('createProject ends: success');
  expect(difference?.steps.slice(-3)).toEqual(['59999 ms pass', '1 ms pass', 'go to /projects']);
});

const newProject: Record<string, unknown> = schemaFields.NewProject;

test.each(Object.keys(newProject))(
  'finds a comparison of projects that lacks the %s [CHOICE-49]',
  async (field) => {
    const all = { ...newProject };
    onTestFinished(() => {
      delete newProject[field];
      Object.assign(newProject, all);
    });
    delete newProject[field];
    const { difference } = await exploreCalls(['createProject']);
    expect(difference?.steps).toHaveLength(4);
    expect(difference?.differences[0]).toMatch(/^form\.values: /);
  },
);

test('names the field that makes the states endless', async () => {
  const faulty = projectsMachine.provide({
    actions: {
      // Counts how often the rows were dropped.
      clearProjects: assign(({ context }) => ({
        projects: [],
        drops: 1 + (('drops' in context && Number(context.drops)) || 0),
      })),
    },
  });
  replace(projectsMachine, faulty);
  await expect(exploreCalls(['login', 'listProjects'], undefined, 400)).rejects.toThrow(
    /more than 400 states\. The field "app\.projects\.context\.drops" has the most values: \d+\./,
  );
});
