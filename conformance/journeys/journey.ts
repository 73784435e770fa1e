import { waitFor, type AnyActor } from 'xstate';
import { findCall } from '../../model/calls.ts';
import { createHeadlessApp } from '../../model/headless-app.ts';
import type { Exchange } from '../http/record.ts';
import { isSuccess } from '../http/response.ts';
import type { SimulatedBrowser } from '../http/simulated-browser.ts';
import type { RunContext } from '../people/run-context.ts';
import { describeExchangeScreen, describeStatus } from '../problems/describe.ts';
import { decisiveLast, fail, skip } from '../problems/problem.ts';
import { isListShared } from '../requests/lists.ts';
import {
  arrival,
  newAccount,
  projectSteps,
  type App,
  type Person,
  type PersonSteps,
} from './steps.ts';
import {
  chooseSteps,
  followSteps,
  hasSameFault,
  repeat,
  type FailedWalk,
  type WalkOptions,
} from './walk.ts';

/** A person, and what the backend answered. */
type Journey = Awaited<ReturnType<typeof travel>>;

type OnExchange = (exchange: Exchange) => void;

/** Creates a browser. Returns a function that opens the app on a new page of it. */
type CreateBrowser = (onExchange: OnExchange) => () => Promise<App>;

/** Performs steps as a new person, who has a new browser and no account yet. */
async function travel(
  context: RunContext,
  names: string[],
  steps: PersonSteps,
  create: CreateBrowser = (onExchange) => {
    const browser = context.newBrowser('journey');
    return () => openHeadlessApp(browser, onExchange);
  },
) {
  const exchanges: Exchange[] = [];
  const { fixtures } = context;
  const prefix = context.newBrowser('journey').name.replace(' ', '-');
  let count = 0;
  const createBrowser = () => create((exchange) => exchanges.push(exchange));
  function createAccount() {
    const name = `${prefix}-${++count}`;
    return newAccount({ email: fixtures.email(name), password: fixtures.password(name) });
  }
  const openPage = createBrowser();
  const person: Person = {
    app: await openPage(),
    openPage,
    openBrowser: () => createBrowser()(),
    own: createAccount(),
    visits: 0,
    wrongPasswords: 0,
    createAccount,
    createProject: () => fixtures.project(`of ${prefix}-${++count}`),
    isListShared: () => isListShared(context),
  };
  const failure = await followSteps(person, { ...arrival, ...steps }, names);
  return { person, exchanges, create, failure };
}

/** Opens the app with its own client and machines, without screens. */
async function openHeadlessApp(browser: SimulatedBrowser, onExchange: OnExchange): Promise<App> {
  const app = createHeadlessApp(browser.createApi({ onExchange }));
  const isIdle = ({ children }: { children: object }) => Object.keys(children).length === 0;
  return {
    ...app,
    async settle() {
      // In this order, because a sign-in that succeeds opens the projects.
      for (const actor of Object.values<AnyActor>(app.actors)) await waitFor(actor, isIdle);
      return app.observe();
    },
    async close() {
      for (const actor of Object.values(app.actors)) actor.stop();
    },
  };
}

/** Fails if a journey of these steps fails twice. Returns it. */
export async function checkJourney(context: RunContext, names: string[], create?: CreateBrowser) {
  const journey = await travel(context, names, projectSteps, create);
  const { failure } = journey;
  if (failure) {
    const again = await travel(context, names, projectSteps, create);
    report(hasSameFault(again, failure) ? again : undefined, failure);
  }
  return journey;
}

/** Lets a person go on with a walk. Fails if its last steps fail again for a new person. */
export async function checkWalk(context: RunContext, journey: Journey, options: WalkOptions) {
  const { create } = journey;
  // After a failure, the screens differ for good.
  const { person } = journey.failure
    ? await travel(context, Object.keys(arrival), projectSteps, create)
    : journey;
  const failure = await chooseSteps(person, options);
  journey.failure ??= failure;
  if (!failure) return;
  const repetition = await repeat(
    failure,
    (names) => travel(context, [...Object.keys(arrival), ...names], options.steps, create),
    options.maxAttempts,
  );
  report(repetition, failure);
}

function report(repetition: Journey | undefined, { fault }: FailedWalk): never {
  // A single fault may be a coincidence.
  if (!repetition?.failure)
    skip(`seen once and not when new people repeated the steps: ${fault.words}`);
  const { failure, exchanges } = repetition;
  const { words, operation } = failure.fault;
  const decisive = exchanges.findLast(
    ({ request: { method, path } }) => findCall(method, path)?.call === operation,
  );
  const refusal = decisive && !isSuccess(decisive) ? decisive : undefined;
  const answer = refusal ? `: ${describeStatus(refusal)}` : '';
  fail(
    `${words[0]!.toUpperCase()}${words.slice(1)}${answer}.`,
    // More adds nothing to the steps.
    decisiveLast(
      exchanges.filter((_, index) => index < 2 || index >= exchanges.length - 10),
      decisive ?? exchanges.at(-1)!,
    ),
    {
      detail: `Steps of the person: ${failure.names.join('; ')}.`,
      userSees: refusal && describeExchangeScreen(refusal),
    },
  );
}
