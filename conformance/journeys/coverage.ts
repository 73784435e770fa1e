import type { AnyStateMachine } from 'xstate';
import type { Driver, PasswordOf } from '../../model/driver.ts';
import { leavesOf, stateName, transitionsOf } from '../../model/inspection.ts';
import { authModel, projectsModel, type AuthMove, type ProjectsMove } from '../../model/moves.ts';
import { createOracle } from '../../model/oracle.ts';
import type { Path } from '../../model/paths.ts';
import { unreachableForBackends } from '../../model/unreachable.ts';
import { walk } from '../../model/walk.ts';
import type { Exchange } from '../http/client.ts';
import type { RunContext } from '../run-context.ts';

/** An executed path. */
export type Journey = {
  machine: string;
  name: string;
  completedSteps: number;
  totalSteps: number;
  /** The first difference from the model, and the move that caused it. */
  failure: { move: string; message: string } | undefined;
  exchanges: Exchange[];
  durationMs: number;
};

export type JourneyCoverage = {
  journeys: Journey[];
  states: { reached: string[]; all: string[] };
  /** Without the unreachable ones. */
  transitions: { reached: string[]; all: string[] };
  /** Transitions that this backend cannot cause. They do not count. */
  unreachable: { name: string; reason: string }[];
};

/** A record of journeys, which `collectCoverage` evaluates. */
export type JourneyLog = {
  journeys: Journey[];
  /** Names of states and transitions. */
  reached: Set<string>;
  /** Moves that this backend cannot make, with the reason. */
  unreachableMoves: Map<string, string>;
};

const machines: AnyStateMachine[] = [authModel.machine, projectsModel.machine];

export const createJourneyLog = (): JourneyLog => ({
  journeys: [],
  reached: new Set(),
  unreachableMoves: new Map(),
});

/** Returns the log of this run. */
export const journeyLog = (context: RunContext): Promise<JourneyLog> =>
  context.once('journey log', async () => createJourneyLog());

/** Executes a path against the backend and logs it. */
export async function walkJourney<
  Machine extends AnyStateMachine,
  Name extends AuthMove | ProjectsMove,
>(
  path: Path<Machine, Name>,
  createDriver: (onExchange: (exchange: Exchange) => void) => Promise<Driver>,
  { journeys, reached }: JourneyLog,
  passwordOf: PasswordOf,
  retry?: (compare: () => Promise<void>) => Promise<void>,
): Promise<Journey> {
  const startedAt = performance.now();
  const exchanges: Exchange[] = [];
  const { id } = (path.steps[0]!.snapshot as { machine: AnyStateMachine }).machine;
  const journey: Journey = {
    machine: id,
    name: path.name,
    completedSteps: 0,
    totalSteps: path.steps.length - 1,
    failure: undefined,
    exchanges,
    durationMs: 0,
  };
  journeys.push(journey);
  try {
    await walk({
      path,
      driver: await createDriver((exchange) => exchanges.push(exchange)),
      oracle: createOracle('/'),
      passwordOf,
      ...(retry && { retry }),
      onStep(_, inspection) {
        const { states = [], transitions = [] } = inspection ?? {};
        for (const name of [...states, ...transitions]) reached.add(name);
        journey.completedSteps += 1;
      },
    });
  } catch (error) {
    const { move } = path.steps[journey.completedSteps + 1]!;
    journey.failure = { move, message: originalMessage(error) };
  }
  journey.durationMs = performance.now() - startedAt;
  return journey;
}

/** Returns the message of an error without the trace that `@xstate/test` appends. */
function originalMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message.split('\n\n')[0]!.split('\nPath:')[0]!;
}

/** Returns the coverage of all journeys of the run, or undefined without a journey. */
export async function collectCoverage(context: RunContext): Promise<JourneyCoverage | undefined> {
  const { journeys, reached, unreachableMoves } = await journeyLog(context);
  if (journeys.length === 0) return undefined;
  const transitions = machines.flatMap(transitionsOf).map(({ name }) => name);
  const states = machines.flatMap(leavesOf).map(stateName);
  const unreachable = new Map<string, string>();
  for (const name of transitions.filter((transition) => !reached.has(transition))) {
    const reason = unreachableForBackends[name] ?? unreachableReason(name, unreachableMoves);
    if (reason !== undefined) unreachable.set(name, reason);
  }
  const reachable = transitions.filter((name) => !unreachable.has(name));
  return {
    journeys,
    states: { reached: states.filter((name) => reached.has(name)), all: states },
    transitions: { reached: reachable.filter((name) => reached.has(name)), all: reachable },
    unreachable: [...unreachable].map(([name, reason]) => ({ name, reason })),
  };
}

/** Returns why this backend cannot cause a transition, if only an unreachable move causes it. */
function unreachableReason(
  transition: string,
  unreachableMoves: Map<string, string>,
): string | undefined {
  for (const [move, reason] of unreachableMoves) {
    const [call, outcome] = move.split(': ');
    if (outcome === 'refusal' && transition.includes(`actor.${call} → `)) return reason;
  }
  return undefined;
}
