/** The interface between the steps of the model and the app on which they are performed. */
import type { AnyEventObject } from 'xstate';
import type { Call, FormName, PressedCall } from './calls.ts';
import type { Observation } from './observation.ts';
import type { BackendResponse } from './results.ts';

/** Answers a call. A driver without a client gives `event` to the machine instead. */
type Answer = (call: Call, response: BackendResponse, event?: AnyEventObject) => Promise<void>;

export type UserActions = {
  /** Follows a link to an address, such as `/about`. Without one, enters it like a bookmark. */
  go: (address: string) => Promise<void>;
  /** Fills the form in view. */
  fill: (form: FormName, values: string[]) => Promise<void>;
  press: (call: PressedCall) => Promise<void>;
};

export async function fillAndPress(user: UserActions, form: FormName, values: string[]) {
  await user.fill(form, values);
  await user.press(form);
}

/** Acts as the user, the backend and the clock of a running app. */
export type Driver = UserActions & {
  answer: Answer;
  elapse: (milliseconds: number) => Promise<void>;
  /** A user signs in in another tab. */
  signInElsewhere: (email: string) => Promise<void>;
  observe: () => Promise<Observation>;
};

/** A driver that can also answer an aborted call: of each call, the one that was aborted last. */
export type AbortAwareDriver = Driver & {
  /** Returns the calls with an aborted one that was not answered. */
  abortedCalls: () => Call[];
  answerAborted: Answer;
  /** Reloads the page. A user may have signed in in another tab since it was left. */
  reload: (email?: string) => Promise<void>;
};
