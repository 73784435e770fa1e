/**
 * The calls: one row for each. The model, the controlled backend, the drivers, the kit and the
 * tests know from it how a user causes a call, how it can end, and the words for it.
 */
import type { AnyEventObject, AnyStateMachine, EventFrom } from 'xstate';
import { bodyFields, operationTable, type OperationTypes } from '../generated/operations.ts';
import type { machines } from '../machines/all.ts';
import type { Credentials, NewProject, Project } from '../machines/types.ts';
import { forms } from '../shared/forms.ts';
import { routeOf, type Route } from '../shared/routes.ts';

type Machine = (typeof machines)[keyof typeof machines];

type ActorsOf<Each extends AnyStateMachine> = Each extends Each
  ? keyof NonNullable<Parameters<Each['provide']>[0]['actors']> & string
  : never;

/** The operationIds that the machines invoke. */
export type Call = ActorsOf<Machine>;

const projectTexts = (text: (label: string) => string) =>
  Object.fromEntries(
    Object.entries(forms.createProject.fields).map(([name, label]) => [name, text(label)]),
  ) as Required<NewProject>;

/** What the user submits and the backend answers in step `n`: no two steps share a value. */
export const fixtures = {
  credentials: (n: number) => ({ email: `person-${n}@example.org`, password: `password ${n}` }),
  newProject: (n: number) => projectTexts((label) => `${label} ${n}`),
  user: (n: number) => ({ role: `role ${n}` }),
  project: (n: number): Required<Project> => ({
    id: `created-${n}`,
    ...projectTexts((label) => `Kept ${label} ${n}`),
  }),
  projects: (n: number): Required<Project>[] =>
    [1, 2].map((position) => ({
      id: `listed-${n}-${position}`,
      ...projectTexts((label) => `Listed ${label} ${n}.${position}`),
    })),
  refusal: (n: number) => `Refused ${n}.`,
};

/** How a call ends for the machine that invoked it. */
type Result = { type: 'done'; output: unknown } | { type: 'error'; error: unknown };

/** Returns the result in step `n`, or undefined where these rows make it impossible. */
type ResultOf = (n: number, rows: readonly Project[]) => Result | undefined;

const done = (output: unknown): Result => ({ type: 'done', output });
const succeeded = (value?: unknown) => done({ ok: true, value });
const error: Result = { type: 'error', error: new Error('a fault') };
const internalServerError = done({ ok: false, message: 'Internal Server Error' });

/**
 * - `refusal`: an error with a message. `errorWithoutMessage`: an error without one.
 * - `unreachable`: no response. `fault`: an exception in the app.
 *
 * A row adds `success`, as promised, and `malformed`, a 2xx response whose body the contract does
 * not allow. `empty` is a list without projects. The id of a `duplicate` is in the list already.
 */
const failures = {
  refusal: (n) => done({ ok: false, message: fixtures.refusal(n) }),
  errorWithoutMessage: () => internalServerError,
  unreachable: () => internalServerError,
  fault: () => error,
} satisfies Record<string, ResultOf>;

/** What users read after a call, for reports. */
type Words = {
  /** What the call does. */
  subject: string;
  /** `value` is absent where only the status is known. */
  success: (value?: unknown) => string;
  refusal: (message?: string) => string;
  /** The app threw: a body that it cannot read. */
  fault: string;
  /** No response has arrived. */
  pending: string;
};

const redBanner = (message = 'Internal Server Error') => `red banner: "${message}"`;
const emptyList = 'an empty list without a text (the app only logs the failure to the console)';
const unchangedForm = 'no message: the form "Create an account" stays as it is';
const busyButton = 'a button that stays busy until a response arrives';

type EventOf<Of extends Call> = Extract<EventFrom<Machine>, { type: Of }>;

/**
 * What makes a call on the screen `route`: a `form`, a `button` outside of a form, or the screen
 * itself when it opens (`fetch`).
 */
type Definition<Of extends Call> = {
  route: Route;
  results: Record<string, ResultOf>;
  words: Words;
  /** Returns what the request of step `n` sends. */
  input?: (n: number) => object;
} & (
  | {
      kind: 'form';
      button: string;
      /** The labels of the fields by their names. */
      fields: { readonly [Name in keyof OperationTypes[Of]['body'] & string]: string };
      input: (n: number) => Required<OperationTypes[Of]['body']>;
      toEvent: (input: never) => EventOf<Of>;
    }
  | { kind: 'button'; button: string; toEvent: () => EventOf<Of> }
  | { kind: 'fetch' }
);

export const calls = {
  login: {
    kind: 'form',
    ...forms.login,
    input: fixtures.credentials,
    toEvent: (credentials: Credentials) => ({ type: 'login', credentials }),
    results: { ...failures, success: () => succeeded(), malformed: () => succeeded() },
    words: {
      subject: 'signing in',
      success: () => 'the projects screen, as after a successful login',
      refusal: redBanner,
      fault: 'the form again, without a message',
      pending: busyButton,
    },
  },
  registerUser: {
    kind: 'form',
    ...forms.registerUser,
    input: fixtures.credentials,
    toEvent: (credentials: Credentials) => ({ type: 'registerUser', credentials }),
    results: {
      ...failures,
      success: (n) => succeeded(fixtures.user(n)),
      malformed: () => succeeded({}),
    },
    words: {
      subject: 'registering',
      success: () => 'the screen "Sign in", as after a successful registration',
      refusal: () => unchangedForm,
      fault: unchangedForm,
      pending: busyButton,
    },
  },
  listProjects: {
    kind: 'fetch',
    route: '/projects',
    results: {
      ...failures,
      success: (n) => succeeded(fixtures.projects(n)),
      empty: () => succeeded([]),
      malformed: () => error,
    },
    words: {
      subject: 'the list',
      success: (value) => describeList(value as Project[] | undefined),
      refusal: () => emptyList,
      fault: emptyList,
      pending: '"Loading projects…" until a response arrives',
    },
  },
  createProject: {
    kind: 'form',
    ...forms.createProject,
    input: fixtures.newProject,
    toEvent: (project: NewProject) => ({ type: 'createProject', project }),
    results: {
      ...failures,
      success: (n) => succeeded(fixtures.project(n)),
      duplicate: (n, [first]) => first && succeeded({ ...fixtures.project(n), id: first.id }),
      malformed: () => error,
    },
    words: {
      subject: 'creating a project',
      success: (value) => (value ? `a new row: "${(value as Project).title}"` : 'a new row'),
      refusal: redBanner,
      fault: 'no new row and no message, as if the button did nothing',
      pending: busyButton,
    },
  },
} as const satisfies { [Of in Call]: Definition<Of> };

function describeList({ length }: Project[] = []): string {
  return length === 0
    ? '"No projects to show."'
    : `a list of ${length} project${length > 1 ? 's' : ''}`;
}

type Kind = Definition<Call>['kind'];

/** A call as a driver or a report sees it, without the type of its event. */
export type CallDefinition = {
  kind: Kind;
  route: Route;
  results: Record<string, ResultOf>;
  words: Words;
  button?: string;
  fields?: Record<string, string>;
  input?: (n: number) => object;
  toEvent?: (input: never) => AnyEventObject;
};

export const definitionOf = (call: Call): CallDefinition => calls[call];

export type ResultName = { [Of in Call]: keyof (typeof calls)[Of]['results'] & string }[Call];

/** The calls that a form makes. */
export type FormName = keyof typeof forms;

export const callNames = Object.keys(operationTable) as Call[];

/** The calls that a screen makes when it opens. */
export type FetchedCall = {
  [Of in Call]: (typeof calls)[Of]['kind'] extends 'fetch' ? Of : never;
}[Call];

export const isFetched = (call: Call): call is FetchedCall => definitionOf(call).kind === 'fetch';

/** The calls that a user makes with a button, in or outside of a form. */
export type PressedCall = Exclude<Call, FetchedCall>;

export const buttonOf = (call: PressedCall): string => calls[call].button;

export function fetchesOnOpen(address: string): boolean {
  const route = routeOf(address);
  return callNames.some((call) => isFetched(call) && definitionOf(call).route === route);
}

export const formNames = Object.keys(forms) as FormName[];

/** Returns the labels of a form, in its order. */
export const labelsOf = (form: FormName): string[] => Object.values(forms[form].fields);

/** Returns the names and labels of the fields that must not be empty. */
export const requiredFields = (form: FormName): [name: string, label: string][] =>
  Object.entries(forms[form].fields).filter(
    ([name]) => (bodyFields[form] as Record<string, { isRequired: boolean }>)[name]?.isRequired,
  );

/** Returns the values of the form at an address while it is empty: none without a form. */
export const emptyFormAt = (address: string): string[] =>
  formNames
    .filter((form) => forms[form].route === address)
    .flatMap(labelsOf)
    .map(() => '');

/** Returns what a call sends while the form in view has these values. */
export const inputOf = <Name extends PressedCall>(call: Name, values: readonly string[]) =>
  Object.fromEntries(
    Object.keys(definitionOf(call).fields ?? {}).map((name, index) => [name, values[index] ?? '']),
  ) as OperationTypes[Name]['body'];

/** Returns the values with which a form sends this. */
export const valuesOf = (form: FormName, input: object): string[] =>
  Object.keys(forms[form].fields).map((name) =>
    String(Object.entries(input).find(([key]) => key === name)?.[1] ?? ''),
  );

/** Returns the event of a button, pressed while the form in view has these values. */
export const pressEvent = (call: PressedCall, values: readonly string[]): AnyEventObject =>
  calls[call].toEvent(inputOf(call, values) as never);
