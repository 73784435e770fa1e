import { expect, test } from 'vitest';
import { machines } from '../../../machines/all.ts';
import { transitionsOf } from '../../../model/inspection.ts';

/** Statements about a change of state, which a chart must not lose. It may have more. */
const expected = {
  auth: `
    AUTH-2 AUTH-3 AUTH-4 AUTH-5 AUTH-6 AUTH-7 AUTH-8 AUTH-9 AUTH-10 ERROR-1 ERROR-2 ERROR-3 ERROR-4
    CHOICE-4 CHOICE-8 CHOICE-15 CHOICE-16 CHOICE-17`,
  projects: `
    CONST-6 CONST-8 CREATE-1 CREATE-2 CREATE-3 CREATE-4 ERROR-5 ERROR-6 ERROR-7 ERROR-8
    LIST-1 LIST-2 LIST-3 LIST-4 LIST-5 PROJECTS-7
    CHOICE-2 CHOICE-15 CHOICE-18 CHOICE-19 CHOICE-27 CHOICE-30 CHOICE-31 CHOICE-32 CHOICE-33 CHOICE-47
    CHOICE-48 CHOICE-51 CHOICE-69 CHOICE-77 CHOICE-78 CHOICE-95
    CHOICE-97 CHOICE-99 CHOICE-100`,
} satisfies Record<keyof typeof machines, string>;

test.each(Object.entries(expected))('%s has a transition for every statement', (id, statements) => {
  const transitions = transitionsOf(machines[id as keyof typeof machines]);
  const inChart = new Set(transitions.flatMap((transition) => transition.statements));
  const required = statements.trim().split(/\s+/);
  expect(required.filter((statement) => !inChart.has(statement))).toEqual([]);
});
