/**
 * Writes generated/traceability.md: each statement of docs/specification.md with the transitions
 * that carry it, the tests that name it, and the checks of the conformance kit that cover it.
 *
 * Links to tests have no line numbers. With them, every edit of a test file would make the page
 * stale. A title finds its test in the linked file.
 */
import { checks } from '../conformance/checks/all.ts';
import { authMachine } from '../machines/auth.ts';
import { projectsMachine } from '../machines/projects.ts';
import { markdownTable, transitions as transitionsOf } from './diagram.ts';
import { headingAnchor } from './markdown.ts';
import {
  readSpecification,
  readTestNames,
  referencesIn,
  statementsOf,
  type Statement,
} from './statements.ts';

/** A statement and what carries it, each as a line of Markdown. */
export type Trace = Statement & { transitions: string[]; tests: string[]; kit: string[] };

/** Returns the page for this project. */
export async function traceabilityPage(): Promise<string> {
  const references = referencesIn(await readTestNames());
  const inMachines = [authMachine, projectsMachine].flatMap((machine) =>
    transitionsOf(machine).map((transition) => ({ ...transition, machine: machine.id })),
  );
  return renderTraces(
    statementsOf(await readSpecification()).map((statement) => ({
      ...statement,
      transitions: inMachines
        .filter(({ statements }) => statements.includes(statement.id))
        .map(({ machine, from, to, event, guard }) =>
          [
            `[${machine}](machines.md#${machine}): ${from} → ${to},`,
            escapeMarkdown(guard ? `${event} [${guard}]` : event),
          ].join(' '),
        ),
      tests: references
        .filter(({ id }) => id === statement.id)
        .map(({ test: { file, title } }) => `[${file}](../${file}): ${testTitle(title)}`),
      kit: checks.filter(({ statements }) => statements.includes(statement.id)).map(({ id }) => id),
    })),
  );
}

/** Returns the page for these statements. */
export function renderTraces(traces: Trace[]): string {
  const table = (
    [
      ['all', () => true],
      ['carried by a transition of the machines', ({ transitions }) => transitions.length > 0],
      ['named by a test', ({ tests }) => tests.length > 0],
      [
        'held by the generated paths alone',
        ({ transitions, tests }) => transitions.length > 0 && tests.length === 0,
      ],
      ['carried by nothing', isMissing],
    ] satisfies [string, (trace: Trace) => boolean][]
  ).map(([label, matches]) => {
    const ids = traces.filter(matches).map(({ id }) => id);
    return [label, `${ids.length}`, ids.length < 10 ? ids.join(', ') : ''];
  });
  const sections = Map.groupBy(traces, ({ section }) => section);
  return [
    '# Traceability\n',
    'Each statement of the [specification](../docs/specification.md), with the transitions of the\n' +
      '[machines](machines.md) that carry it, the tests that name its id, and the checks of the\n' +
      '[conformance kit](checks.md) that cover it. Written by\n' +
      '`npm run generate`.\n',
    'The [generated paths](../model/README.md) take every transition. They are executed on the\n' +
      'rendered screens, over HTTP and in a browser, so they hold the statements of the transitions\n' +
      'as well. To find a test, search the linked file for the title, in which `%s` stands for a\n' +
      'part of a row.\n',
    markdownTable(['statements', 'count', 'ids'], table),
    ...[...sections].map(
      ([section, statements]) => `## ${section}\n\n${statements.map(renderTrace).join('')}`,
    ),
  ].join('\n');
}

const isMissing = ({ transitions, tests }: Trace) => transitions.length + tests.length === 0;

function renderTrace(trace: Trace): string {
  const { id, text, section, kit } = trace;
  const page = `../docs/specification.md#${headingAnchor(section)}`;
  const lines = [
    ...(isMissing(trace) ? ['**MISSING**: no transition and no test.'] : []),
    ...trace.transitions.map((line) => `transition in ${line}`),
    ...new Set(trace.tests.map((line) => `test in ${line}`)),
    ...(kit.length > 0 ? [`kit: ${kit.join(', ')}`] : []),
  ];
  const head = `- <a id="${id.toLowerCase()}"></a>**[${id}](${page})** ${text}\n`;
  return head + lines.map((line) => `  - ${line}\n`).join('');
}

/** Returns a title without its ids. */
const testTitle = (title: string) =>
  escapeMarkdown(title.replaceAll(/\s*\[[^[\]]*\b[A-Z]+-\d+[^[\]]*\]/g, '').trim());

const escapeMarkdown = (text: string) => text.replaceAll(/[\\`*_<>[\]]/g, String.raw`\$&`);
