import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { transitionsOf } from '../../model/paths.ts';
import { auth, latePairsIn, lateTimersIn, projects } from '../../model/moves.ts';
import { ignoredName, nameOf, statesOf, type Inspection } from '../../model/inspection.ts';

type Kind = 'states' | 'transitions' | 'ignored pairs' | 'statements';
const kinds: Kind[] = ['states', 'transitions', 'ignored pairs', 'statements'];

const machines: AnyStateMachine[] = [auth.machine, projects.machine];

/** From the machines: what each transition is called, and which statements it carries. */
export const drawn = new Map(
  machines.flatMap(transitionsOf).map(({ name, statements }) => [name, statements]),
);

/** What there is to walk. */
const all: Record<Kind, string[]> = {
  states: machines.flatMap(statesOf).map(nameOf),
  transitions: [...drawn.keys()],
  'ignored pairs': machines.flatMap(statesOf).flatMap(ignoredIn),
  statements: [...new Set([...drawn.values()].flat())],
};

/** What no driver can make happen, and why. */
const impossible: Record<string, string> = Object.fromEntries(
  ['idle', 'creating', 'failed'].flatMap((state) =>
    ['success', 'refusal'].map((ending) => [
      ignoredName(`projects · create.${state}`, `late createProject: ${ending}`),
      'nothing takes the place of a createProject that is pending',
    ]),
  ),
);

/**
 * Counts what the actors of a driver did. After the tests of the file it prints what was walked of what there is, and fails
 * for the rest, when all `paths` were walked to their ends. `beyond` names what this driver can't make happen, and why; it fails when that happened after all.
 */
export function coverage(driver: string, paths: number, beyond: Record<string, string> = {}) {
  let finished = 0;
  const walked = new Map<string, number>();
  const count = (name: string) => walked.set(name, (walked.get(name) ?? 0) + 1);
  const excepted: Record<string, string> = { ...impossible, ...beyond };

  afterAll(() => {
    const needed = Object.fromEntries(
      kinds.map((kind) => [kind, all[kind].filter((name) => !(name in excepted))]),
    ) as typeof all;
    const lines = kinds.map(
      (kind) =>
        `${kind} ${needed[kind].filter((name) => walked.has(name)).length}/${needed[kind].length}`,
    );
    console.log(`${driver}: ${lines.join(' · ')}`);
    const missing = kinds.flatMap((kind) => needed[kind].filter((name) => !walked.has(name)));
    const folder = process.env['MACHINES_WALKED'];
    if (folder) {
      const counts = { driver, walked: Object.fromEntries(walked), missing };
      writeFileSync(join(folder, `${driver}.json`), JSON.stringify(counts));
    }
    // Of some of the paths, or with a failure among them, less is no wonder.
    if (finished < paths) return;
    expect(missing, `not walked by ${driver}`).toEqual([]);
    const surprising = Object.keys(excepted).filter((name) => walked.has(name));
    expect(surprising, `said to be beyond ${driver}`).toEqual([]);
    const names = Object.values(all).flat();
    const unknown = Object.keys(excepted).filter((name) => !names.includes(name));
    expect(unknown, 'excepted, and not in any chart').toEqual([]);
  });

  return {
    walked,
    finish: () => ++finished,
    add({ states, transitions, ignored }: Inspection) {
      for (const name of [...states, ...transitions, ...ignored]) count(name);
      for (const name of transitions)
        for (const statement of drawn.get(name) ?? []) count(statement);
    },
    /** Something came too late, and the actors did not move. */
    addLate(what: string, now: string[]) {
      for (const state of now) {
        const name = ignoredName(state, what);
        if (all['ignored pairs'].includes(name)) count(name);
      }
    },
  };
}

export type Coverage = ReturnType<typeof coverage>;

/** Whatever the rest of its region knows and a state does not, and whatever can come too late. */
function ignoredIn(leaf: AnyStateNode): string[] {
  const handled = (node: AnyStateNode | undefined): string[] =>
    node ? [...node.transitions.keys(), ...handled(node.parent)] : [];
  const known = Object.values<AnyStateNode>(leaf.parent!.states).flatMap((state) => [
    ...state.transitions.keys(),
  ]);
  const asked = new Set(known.filter((type) => !type.startsWith('xstate.')));
  return [...[...asked].filter((type) => !handled(leaf).includes(type)), ...lateTimersIn(leaf)]
    .map((type) => ignoredName(nameOf(leaf), type))
    .concat(latePairsIn(leaf).map(({ name }) => name));
}
