/** The identity of a state in the exploration: two states are one if they have the same key. */
import { isDeepStrictEqual } from 'node:util';
import { isRecord } from './observation.ts';

/** What never decides the next step: counters, bodies, and what only the screen has. */
const ignoredInKey = new Set(['made', 'sent', 'announced', 'createdCount', 'registeredEmail']);

/**
 * Returns the key of a state of the app and the oracle.
 *
 * - A text with a blank or a digit counts by the fields that have the same: `{ a: 'Title 1', b:
 *   'Title 1' }` is like `{ a: 'Title 7', b: 'Title 7' }`, and unlike `{ a: 'Title 1', b: 'Title 2'
 *   }`. Another text is constant: `{ path: '/login' }` is unlike `{ path: '/about' }`.
 * - A row counts by its id: `[{ id: 'listed-1', title: 'A' }]` is like `[{ id: 'listed-2', title: 'B'
 *   }]`.
 * - A user without a role is like none.
 */
export const keyOf = (state: { app: unknown; oracle: unknown; aborted: unknown }): string => {
  const labels = new Map<string, number>();
  return JSON.stringify(state, (key, value: unknown) => {
    if (ignoredInKey.has(key)) return undefined;
    if (key === 'user' && isDeepStrictEqual(value, {})) return undefined;
    if (typeof value === 'string' && /[\s\d]/.test(value)) {
      // Messages without a number are constant, so that two fields may have the same by chance.
      const text = /\d/.test(value) ? value : `${key} ${value}`;
      if (!labels.has(text)) labels.set(text, labels.size);
      return labels.get(text);
    }
    return Array.isArray(value) && typeof value[0] === 'object'
      ? value.map(({ id }: { id: unknown }) => ({ id }))
      : value;
  });
};

/** Returns the field of the states that has the most values, which may grow without end. */
export function fieldWithMostValues(keys: string[]): { name: string; size: number } {
  const valuesOf = new Map<string, Set<string>>();
  function add(name: string, value: unknown) {
    if (isRecord(value)) {
      for (const [key, field] of Object.entries(value)) add(`${name}.${key}`, field);
    } else {
      valuesOf.set(name, (valuesOf.get(name) ?? new Set()).add(JSON.stringify(value)));
    }
  }
  for (const key of keys) {
    const { app, oracle } = JSON.parse(key) as Record<'app' | 'oracle', unknown>;
    add('app', app);
    add('oracle', oracle);
  }
  const sizes = Array.from(valuesOf, ([name, { size }]) => ({ name, size }));
  return sizes.toSorted((left, right) => right.size - left.size)[0]!;
}
