/** Counts which states, transitions, ignored pairs and statements the drivers have covered. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import {
  ignoredEventName,
  leavesOf,
  stateName,
  transitionsOf,
  type Inspection,
} from '../../model/inspection.ts';
import { authModel, lateResponsesIn, lateDelaysIn, projectsModel } from '../../model/moves.ts';

type Kind = 'states' | 'transitions' | 'ignored pairs' | 'statements';
const kinds: Kind[] = ['states', 'transitions', 'ignored pairs', 'statements'];

const machines: AnyStateMachine[] = [authModel.machine, projectsModel.machine];

/** The statements of each transition, by its name. */
const statements = new Map(
  machines.flatMap(transitionsOf).map((transition) => [transition.name, transition.statements]),
);

/** What there is to cover. */
const items = coverableItems(machines);

/** Returns what there is to cover of machines. */
export function coverableItems(of: AnyStateMachine[]): Record<Kind, string[]> {
  const transitions = of.flatMap(transitionsOf);
  return {
    states: of.flatMap(leavesOf).map(stateName),
    transitions: transitions.map(({ name }) => name),
    'ignored pairs': of.flatMap(leavesOf).flatMap(ignoredPairsOf),
    statements: [...new Set(transitions.flatMap(({ statements: ids }) => ids))],
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
  const counts = new Map<string, number>();
  const count = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);

  afterAll(() => {
    const required = Object.fromEntries(
      kinds.map((kind) => [kind, items[kind].filter((name) => !(name in unreachable))]),
    ) as typeof items;
    const totals = kinds.map((kind) => {
      const covered = required[kind].filter((name) => counts.has(name));
      return `${kind} ${covered.length}/${required[kind].length}`;
    });
    console.log(`${driver}: ${totals.join(' · ')}`);
    const missing = kinds.flatMap((kind) => required[kind].filter((name) => !counts.has(name)));
    const folder = process.env['COVERAGE_FOLDER'];
    if (folder) {
      const report = { driver, counts: Object.fromEntries(counts), missing };
      writeFileSync(join(folder, `${driver}.json`), JSON.stringify(report));
    }
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
    /** Call it when a path was walked to its end. */
    completePath: () => ++completedPaths,
    /** Takes a step as `walk` reports it. */
    onStep: ({ move }: { move: string }, inspection: Inspection | undefined) => {
      if (!inspection) return;
      const { states, transitions, ignored, now } = inspection;
      for (const name of [...states, ...transitions, ...ignored]) count(name);
      for (const name of transitions) statements.get(name)?.forEach(count);
      if (!move.startsWith('late ')) return;
      for (const state of now) {
        const name = ignoredEventName(state, move.replace(/ \d+$/, ''));
        if (items['ignored pairs'].includes(name)) count(name);
      }
    },
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
