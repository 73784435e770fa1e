import { isDeepStrictEqual } from 'node:util';
import type { AnyStateMachine } from 'xstate';
import { transitionsOf, type Path, type Step } from '../../model/paths.ts';
import { unreachableForBackends } from '../../model/unreachable.ts';
import { delays, perform, type Driver, type Route, type Observation } from '../../model/driver.ts';
import { auth, projects, type AuthMove, type ProjectsMove } from '../../model/moves.ts';
import { nameOf, statesOf } from '../../model/inspection.ts';
import { createOracle } from '../../model/oracle.ts';
import type { Exchange } from '../http/client.ts';
import type { RunContext } from '../run-context.ts';
import { UnexpectedResponse } from './unexpected-response.ts';

export type Journey = {
  machine: string;
  name: string;
  /** Steps that ended as the model says. */
  steps: number;
  of: number;
  /** What was not as the model says, and at which step. */
  trouble: { move: string; what: string } | undefined;
  exchanges: Exchange[];
  milliseconds: number;
};

/** What was walked of the machines. */
export type Walked = {
  journeys: Journey[];
  states: { reached: string[]; all: string[] };
  transitions: { reached: string[]; all: string[] };
  /** Transitions that cannot be brought about from outside on this backend, and why. They are not counted. */
  beyond: { name: string; why: string }[];
};

const machines: AnyStateMachine[] = [auth.machine, projects.machine];

export type Tally = { journeys: Journey[]; seen: Set<string>; impossible: Map<string, string> };

export const tallyOf = (context: RunContext): Promise<Tally> =>
  context.once('tally', async () => ({
    journeys: [],
    seen: new Set<string>(),
    impossible: new Map<string, string>(),
  }));

/** Walks a path: after each step the screen, what the app knows and what the machines did are what the model says. `until` tries again where the screen takes its time. */
export async function walk<Machine extends AnyStateMachine, Name extends AuthMove | ProjectsMove>(
  path: Path<Machine, Name>,
  start: Route,
  open: (note: (exchange: Exchange) => void) => Promise<Driver>,
  { journeys, seen }: Tally,
  visitor: { email: string; password: string },
  until: (check: () => Promise<void>) => Promise<void> = (check) => check(),
): Promise<Journey> {
  const began = performance.now();
  const exchanges: Exchange[] = [];
  const { id } = (path.steps[0]!.snapshot as { machine: AnyStateMachine }).machine;
  const journey: Journey = {
    machine: id,
    name: path.name,
    steps: 0,
    of: path.steps.length - 1,
    trouble: undefined,
    exchanges,
    milliseconds: 0,
  };
  journeys.push(journey);
  const hands = await open((exchange) => exchanges.push(exchange));
  const oracle = createOracle(start);
  let move = 'start';
  const take = async () => {
    const did = await hands.inspection?.();
    for (const name of [...(did?.states ?? []), ...(did?.transitions ?? [])]) seen.add(name);
    return did;
  };

  const performed = async (step: Step<Machine, Name>) => {
    if (step.move === 'start') return;
    move = step.move;
    const children = (step.before as { children: Record<string, unknown> }).children;
    if (move.endsWith(' over')) {
      const before = delays[move.split(' ')[0] as 'batching'] - 1;
      await hands.elapse(before);
      await oracle.elapse(before);
      const early = await take();
      if (early && early.transitions.length > 0)
        throw new UnexpectedResponse('something happened before its time');
    }
    const repeat = await perform(
      hands,
      step.move,
      step.event,
      children[step.event.type] !== undefined,
      visitor,
    );
    await repeat(oracle);
    await until(async () => differ('the screen', await hands.observe(), await oracle.observe()));
    const did = await take();
    if (did) {
      const own = (names: string[]) => names.filter((name) => name.startsWith(`${id} · `));
      differ('what the machine did', own(did.transitions), own(step.inspection.transitions));
    }
    if (hands.internals)
      differ('what the app knows', await hands.internals(), await oracle.internals?.());
    journey.steps += 1;
  };

  try {
    await path.test({ perform: performed, states: {} as never });
  } catch (error) {
    journey.trouble = { move, what: wordsOf(error) };
  }
  journey.milliseconds = performance.now() - began;
  return journey;
}

function differ(what: string, got: unknown, expected: unknown) {
  if (isDeepStrictEqual(got, expected)) return;
  if (typeof got === 'object' && typeof expected === 'object' && !Array.isArray(got)) {
    for (const key of Object.keys(expected ?? {})) {
      const [here, there] = [got, expected].map(
        (one) => (one as Partial<Observation>)[key as keyof Observation],
      );
      if (!isDeepStrictEqual(here, there))
        throw new UnexpectedResponse(
          `${what} has another ${key} than the model says: ${short(here)} instead of ${short(there)}`,
        );
    }
  }
  throw new UnexpectedResponse(
    `${what} is not what the model says: ${short(got)} instead of ${short(expected)}`,
  );
}

const short = (value: unknown) => (JSON.stringify(value) ?? 'nothing').slice(0, 200);

/** `@xstate/test` puts a trace around what was thrown. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message.split('\n\n')[0]!.split('\nPath:')[0]!;
}

/** What was walked so far; nothing where no journey was asked for. */
export async function walkedIn(context: RunContext): Promise<Walked | undefined> {
  const { journeys, seen, impossible } = await tallyOf(context);
  if (journeys.length === 0) return undefined;
  const transitions = machines.flatMap(transitionsOf).map(({ name }) => name);
  const states = machines.flatMap(statesOf).map(nameOf);
  const beyond = transitions
    .filter((name) => !seen.has(name))
    .map((name) => ({ name, why: unreachableForBackends[name] ?? impossibleFor(name, impossible) }))
    .filter((one): one is { name: string; why: string } => one.why !== undefined);
  const left = transitions.filter((name) => !beyond.some((one) => one.name === name));
  return {
    journeys,
    states: { reached: states.filter((name) => seen.has(name)), all: states },
    transitions: { reached: left.filter((name) => seen.has(name)), all: left },
    beyond,
  };
}

/** A transition that only moves cause which this backend cannot be brought to. */
function impossibleFor(transition: string, impossible: Map<string, string>): string | undefined {
  for (const [move, why] of impossible) {
    const [call = ''] = move.split(':');
    if (move.endsWith('refusal') && transition.includes(`actor.${call} → `)) return why;
  }
  return undefined;
}
