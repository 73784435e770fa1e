import type { AnyStateMachine } from 'xstate';
import type { Path } from '../../model/paths.ts';
import { unreachableForBackends } from '../../model/unreachable.ts';
import type { Driver, Route } from '../../model/driver.ts';
import { auth, projects, type AuthMove, type ProjectsMove } from '../../model/moves.ts';
import { leavesOf, stateName, transitionsOf } from '../../model/inspection.ts';
import { createOracle } from '../../model/oracle.ts';
import { walk } from '../../model/walk.ts';
import type { Exchange } from '../http/client.ts';
import type { RunContext } from '../run-context.ts';

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

/** Executes a path on the app's own machines in front of the backend, and records the journey. */
export async function walkJourney<
  Machine extends AnyStateMachine,
  Name extends AuthMove | ProjectsMove,
>(
  path: Path<Machine, Name>,
  start: Route,
  createDriver: (note: (exchange: Exchange) => void) => Promise<Driver>,
  { journeys, seen }: Tally,
  visitor: { email: string; password: string },
  retry?: (compare: () => Promise<void>) => Promise<void>,
): Promise<Journey> {
  const startedAt = performance.now();
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
  try {
    await walk({
      path,
      driver: await createDriver((exchange) => exchanges.push(exchange)),
      oracle: createOracle(start),
      visitor,
      ...(retry && { retry }),
      onStep(_, inspection) {
        for (const name of inspection?.states ?? []) seen.add(name);
        for (const name of inspection?.transitions ?? []) seen.add(name);
        journey.steps += 1;
      },
    });
  } catch (error) {
    const { move } = path.steps[journey.steps + 1]!;
    journey.trouble = { move, what: wordsOf(error) };
  }
  journey.milliseconds = performance.now() - startedAt;
  return journey;
}

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
  const states = machines.flatMap(leavesOf).map(stateName);
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
