/** Counts which states, transitions, ignored pairs and statements the drivers have covered. */
import { afterAll, expect } from 'vitest';
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import {
  ignoredEventName,
  leavesOf,
  stateName,
  transitionsOf,
  type Inspection,
} from '../../../model/inspection.ts';
import { authModel, lateResponsesIn, lateDelaysIn, projectsModel } from '../../../model/moves.ts';

type Kind = 'states' | 'transitions' | 'ignored pairs' | 'statements';
const kinds: Kind[] = ['states', 'transitions', 'ignored pairs', 'statements'];

/** Counts what actors do, by the names in their machines. */
export function createCounter(machines: AnyStateMachine[]) {
  const transitions = machines.flatMap(transitionsOf);
  const statements = new Map(transitions.map(({ name, statements: ids }) => [name, ids]));
  const items: Record<Kind, string[]> = {
    states: machines.flatMap(leavesOf).map(stateName),
    transitions: [...statements.keys()],
    'ignored pairs': machines.flatMap(leavesOf).flatMap(ignoredPairsOf),
    statements: [...new Set([...statements.values()].flat())],
  };
  const counts = new Map<string, number>();
  const count = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);

  return {
    /** What there is to cover. */
    items,
    counts,
    /** Takes a step as `walk` reports it. */
    onStep: ({ move }: { move: string }, inspection: Inspection | undefined) => {
      if (!inspection) return;
      const { states, transitions: taken, ignored, now } = inspection;
      for (const name of [...states, ...taken, ...ignored]) count(name);
      for (const name of taken) statements.get(name)?.forEach(count);
      if (!move.startsWith('late ')) return;
      for (const state of now) {
        const name = ignoredEventName(state, move.replace(/ \d+$/, ''));
        if (items['ignored pairs'].includes(name)) count(name);
      }
    },
    /** Returns what is not covered. */
    missing: () => kinds.flatMap((kind) => items[kind].filter((name) => !counts.has(name))),
  };
}

/**
 * Counts what the actors of a driver do. After the tests of the file it prints the coverage. When
 * all `pathCount` paths were completed, it fails for each item that is missing. `unreachable` has
 * the items that this driver cannot cover, with the reason; the coverage fails when it covers one.
 */
export function createCoverage(
  driver: string,
  pathCount: number,
  unreachable: Record<string, string> = {},
) {
  let completedPaths = 0;
  const counter = createCounter([authModel.machine, projectsModel.machine]);
  const { items, counts } = counter;

  afterAll(() => {
    const totals = kinds.map((kind) => {
      const required = items[kind].filter((name) => !(name in unreachable));
      const covered = required.filter((name) => counts.has(name));
      return `${kind} ${covered.length}/${required.length}`;
    });
    console.log(`${driver}: ${totals.join(' · ')}`);
    const missing = counter.missing().filter((name) => !(name in unreachable));
    // A run of selected tests, or with a failure, cannot cover everything.
    if (completedPaths < pathCount) return;
    expect(missing, `not covered by ${driver}`).toEqual([]);
    const unexpected = Object.keys(unreachable).filter((name) => counts.has(name));
    expect(unexpected, `declared unreachable for ${driver}`).toEqual([]);
    const names = Object.values(items).flat();
    const unknown = Object.keys(unreachable).filter((name) => !names.includes(name));
    expect(unknown, 'excepted, and in no chart').toEqual([]);
  });

  return {
    counts,
    onStep: counter.onStep,
    /** Call it when a path was walked to its end. */
    completePath: () => ++completedPaths,
  };
}

/**
 * Returns the events that a state ignores and another state of its region handles, and late ones.
 */
function ignoredPairsOf(leaf: AnyStateNode): string[] {
  const handledBy = (node: AnyStateNode | undefined): string[] =>
    node ? [...node.transitions.keys(), ...handledBy(node.parent)] : [];
  const ofRegion = Object.values<AnyStateNode>(leaf.parent!.states).flatMap((state) => [
    ...state.transitions.keys(),
  ]);
  const events = new Set(ofRegion.filter((type) => !type.startsWith('xstate.')));
  return [...[...events].filter((type) => !handledBy(leaf).includes(type)), ...lateDelaysIn(leaf)]
    .map((type) => ignoredEventName(stateName(leaf), type))
    .concat(lateResponsesIn(leaf).map(({ name }) => name));
}
