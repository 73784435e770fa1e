import { diff } from 'node:util';

/** Returns what Orca said, from its debug output. */
export function parseSpeech(debugOutput: string): string[] {
  return [...debugOutput.matchAll(/ - SPEECH OUTPUT: '([^]*?)' ?\[?\{/g)].map(([, text = '']) =>
    text.trim().replaceAll(/\s+/g, ' '),
  );
}

/**
 * Returns the lines that differ, with two equal lines around them: `-` was expected, `+` was said.
 * Ignores the order of what was said after a step, because Orca delays live regions with a timer.
 */
export function differences(expected: string, actual: string): string[] {
  if (sortSteps(expected) === sortSteps(actual)) return [];
  const lines = diff(actual.split('\n'), expected.split('\n'));
  const isNear = (index: number) =>
    lines.slice(Math.max(0, index - 2), index + 3).some(([operation]) => operation !== 0);
  return lines.flatMap(([operation, line], index) =>
    isNear(index) ? [`${operation === 0 ? ' ' : operation < 0 ? '-' : '+'} ${line}`] : [],
  );
}

const sortSteps = (transcript: string) =>
  transcript
    .split(/^(?=\[)/m)
    .map((step) => step.split('\n').toSorted().join('\n'))
    .join('\n');
