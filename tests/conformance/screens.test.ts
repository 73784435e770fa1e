import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { run } from '../../conformance/run.ts';
import { startFaultProxy } from './selftest/fault-proxy.ts';
import { startReference } from './selftest/reference.ts';
import { json } from './selftest/fault-builders.ts';
import { prepareUi } from '../../conformance/ui/prepare.ts';
import { temporaryFolder } from '../server/support.ts';

/** Milliseconds: every journey, in a browser. */
const patience = 180_000;

async function walked(origin: string) {
  const pictures = temporaryFolder();
  const ui = await prepareUi(pictures);
  if ('missing' in ui) throw new Error(ui.missing);
  const done = await run({ origin, only: ['UI-1'], ui });
  return { result: done.results[0]!, taken: done.context.screenshots, pictures };
}

test(
  'the real app walks every journey in front of our own backend',
  { timeout: patience },
  async () => {
    const reference = await startReference();
    onTestFinished(reference.stop);
    const { result, taken } = await walked(reference.address);
    expect(result).toMatchObject({ status: 'passed', problems: [] });
    expect(result.exchanges.length).toBeGreaterThan(0);
    expect(taken).toEqual([]);
  },
);

test(
  'where the screen is not as the model says, its picture is kept',
  { timeout: patience },
  async () => {
    const reference = await startReference();
    onTestFinished(reference.stop);
    const contrary = await startFaultProxy(
      reference.address,
      {
        // To the kit itself, which arranges things beforehand, it is as it should be.
        reply: ({ status }, { headers }) =>
          /Chrome/.test(String(headers['user-agent']))
            ? json(status < 400 ? 503 : 200, { message: 'The contrary.' })
            : undefined,
      },
      '10.4.0.1',
    );
    onTestFinished(contrary.stop);
    const { result, taken, pictures } = await walked(contrary.address);
    expect(result.status).toBe('failed');
    expect(result.problems[0]!.description).toMatch(
      /In the browser, on the journey .* signing in should be refused, but the response is 200/,
    );
    // The last says that the other journeys were not walked.
    expect([taken.length, result.problems.length]).toEqual([5, 6]);
    expect(result.problems.at(-1)?.description).toMatch(/were not executed/);
    const file = join(pictures, taken[0]!.file);
    expect(existsSync(file)).toBe(true);
    expect(readFileSync(file).subarray(1, 4).toString()).toBe('PNG');
  },
);
