/** What a user, a backend or the clock can do: each step on the app and on the oracle. */
import {
  calls,
  definitionOf,
  emptyFormAt,
  fixtures,
  fetchesOnOpen,
  labelsOf,
  valuesOf,
  type ResultName,
  type Call,
  type FormName,
  type PressedCall,
} from './calls.ts';
import { forms } from '../shared/forms.ts';
import { headerRoutes } from '../shared/routes.ts';
import { fillAndPress, type Driver, type AbortAwareDriver } from './driver.ts';
import { differencesOf } from './observation.ts';
import type { Oracle } from './oracle.ts';
import { resultEvent, responseFor } from './results.ts';

/** The app and the oracle after the same steps. */
export type Pair<App extends Driver = Driver> = {
  app: App;
  oracle: Oracle;
  /** The number of steps performed on both. */
  length: number;
};

export type OracleState = ReturnType<Oracle['state']>;

export type Step<App extends Driver = Driver> = {
  name: string;
  isPossible: (state: OracleState, abortedCalls: Call[]) => boolean;
  /** `n` is the number of the step, so that no two steps share a value. */
  perform: (pair: Pair<App>, n: number) => Promise<unknown>;
};

const onBoth =
  (action: (driver: Driver, n: number) => Promise<void>): Step['perform'] =>
  async ({ app, oracle }, n) => {
    await action(oracle, n);
    await action(app, n);
  };

/**
 * Goes to an address: to another screen, or to the one in view if that has a link to itself, in the
 * header. Then it fetches again.
 */
export const goTo = (address: string): Step => ({
  name: `go to ${address}`,
  isPossible: ({ path }) =>
    path !== address || (fetchesOnOpen(address) && headerRoutes.some((route) => route === address)),
  perform: onBoth((driver) => driver.go(address)),
});

/** Types into a form and does not submit it. */
export const fill = (form: FormName): Step => ({
  name: `fill ${form}`,
  isPossible: ({ path }) => path === forms[form].route,
  perform: onBoth((driver, n) => driver.fill(form, valuesOf(form, calls[form].input(n)))),
});

/** Types into one field of a form, or empties it, and leaves the others as they are. */
const edit = (form: FormName, field: number, isEmptied: boolean): Step => ({
  name: `${isEmptied ? 'empty' : 'fill'} ${labelsOf(form)[field]} of ${form}`,
  isPossible: ({ path, values }) =>
    path === forms[form].route && !(isEmptied && values?.[field] === ''),
  async perform(pair, n) {
    const text = isEmptied ? '' : valuesOf(form, calls[form].input(n))[field]!;
    const values = pair.oracle.state().values!.with(field, text);
    await onBoth((driver) => driver.fill(form, values))(pair, n);
  },
});

export const empty = (form: FormName): Step => ({
  name: `empty ${form}`,
  isPossible: ({ path, values }) => path === forms[form].route && values?.join('') !== '',
  perform: onBoth((driver) => driver.fill(form, emptyFormAt(forms[form].route))),
});

export const submit = (form: FormName): Step => ({
  name: `submit ${form}`,
  isPossible: ({ path, calls: { [form]: call } }) => path === forms[form].route && !call.pending,
  perform: onBoth((driver, n) => fillAndPress(driver, form, valuesOf(form, calls[form].input(n)))),
});

const press = (call: PressedCall): Step => ({
  name: `press the button of ${call}`,
  isPossible: ({ path }) => path === definitionOf(call).route,
  perform: onBoth((driver) => driver.press(call)),
});

export const submitWhilePending = (form: FormName): Step => ({
  ...press(form),
  name: `submit ${form} again while it is pending`,
  isPossible: ({ path, calls: { [form]: call } }) => path === forms[form].route && call.pending > 0,
});

/** Performs a step as the user before, whose email is the same in upper case. */
const asUserBefore =
  (action: (driver: Driver, email: string, n: number) => Promise<void>): Step['perform'] =>
  async (pair, n) => {
    const email = pair.oracle.state().lastEmail!.toUpperCase();
    await onBoth((driver) => action(driver, email, n))(pair, n);
  };

export const loginAsBefore: Step = {
  name: 'submit login as the user before',
  isPossible: ({ lastEmail, ...state }) =>
    lastEmail !== undefined && submit('login').isPossible(state as OracleState, []),
  perform: asUserBefore((driver, email, n) =>
    fillAndPress(driver, 'login', [email, `password ${n}`]),
  ),
};

export const signInElsewhere: Step = {
  name: 'another user signs in in another tab',
  isPossible: () => true,
  perform: onBoth((driver, n) => driver.signInElsewhere(fixtures.credentials(n).email)),
};

export const signInElsewhereAsBefore: Step = {
  name: 'the user before signs in in another tab',
  isPossible: ({ lastEmail }) => lastEmail !== undefined,
  perform: asUserBefore((driver, email) => driver.signInElsewhere(email)),
};

const stepsOfKind = {
  form: (form: FormName) => [submit(form), submitWhilePending(form)],
  button: (call: PressedCall) => [press(call)],
  fetch: () => [signInElsewhere, signInElsewhereAsBefore],
};

/** Returns the steps by which a user causes a call, other than opening a screen. */
export const stepsCausing = (call: Call): Step[] => [
  ...(call === 'login' ? [loginAsBefore] : []),
  ...stepsOfKind[definitionOf(call).kind](call as FormName),
];

/** Returns the steps that leave a text in a form which keeps it when its screen is closed. */
export const stepsFilling = (call: Call): Step[] =>
  call === 'createProject' ? [fill(call), empty(call)] : [];

/** Submits what stands in a form, in which fields may be empty. */
const submitAsTyped = (form: FormName): Step => ({
  ...submit(form),
  name: `submit ${form} as typed`,
  perform: press(form).perform,
});

/** Returns the same steps for one field at a time, and the submit of what they leave. */
export const stepsEditing = (call: Call): Step[] =>
  stepsFilling(call).length === 0
    ? []
    : [
        submitAsTyped(call as FormName),
        ...labelsOf(call as FormName).flatMap((_, field) => [
          edit(call as FormName, field, false),
          edit(call as FormName, field, true),
        ]),
      ];

export function end(call: Call, result: ResultName): Step {
  const eventOf = ({ projects }: OracleState, n: number) => resultEvent(call, result, n, projects);
  return {
    name: `${call} ends: ${result}`,
    isPossible: (state) => state.calls[call].pending > 0 && eventOf(state, 0) !== undefined,
    async perform({ app, oracle }, n) {
      const event = eventOf(oracle.state(), n)!;
      const response = responseFor(call, result, event);
      await oracle.answer(call, response);
      await app.answer(call, response, event);
    },
  };
}

/** The oracle ignores a response to an aborted call (CHOICE-8). */
export const endAborted = (call: Call, result: ResultName): Step<AbortAwareDriver> => ({
  name: `the aborted ${call} ends late: ${result}`,
  isPossible: (_, abortedCalls) => abortedCalls.includes(call),
  async perform({ app }, n) {
    const event = resultEvent(call, result, n)!;
    await app.answerAborted(call, responseFor(call, result, event), event);
  },
});

export const elapse = (milliseconds: number): Step => ({
  name: `${milliseconds} ms pass`,
  isPossible: () => true,
  perform: onBoth((driver) => driver.elapse(milliseconds)),
});

/**
 * A tab that a browser has discarded is loaded like one that the user reloads. Not while an account
 * call is pending, which would be aborted: that would double the time.
 */
const reloadAs = (name: string, emailOf: (n: number) => string | undefined) => ({
  name,
  isPossible: ({ calls: { login, registerUser } }: OracleState) =>
    login.pending + registerUser.pending === 0,
  async perform({ app, oracle }: Pair<AbortAwareDriver>, n: number) {
    await oracle.reload(emailOf(n));
    await app.reload(emailOf(n));
  },
});

export const reload = reloadAs('reload the page', () => undefined);

export const reloadAsOther = reloadAs(
  'another user signs in in another tab while the page reloads',
  (n) => fixtures.credentials(n).email,
);

export async function compare({ app, oracle }: Pair): Promise<string[]> {
  return differencesOf(await app.observe(), await oracle.observe());
}
