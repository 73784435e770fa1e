import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { run } from '../../conformance/run.ts';
import { startLayer } from '../../conformance/selftest/layer.ts';
import { startReference } from '../../conformance/selftest/reference.ts';
import { creating, json, isCall } from '../../conformance/selftest/spoil.ts';
import { prepareScreens } from '../../conformance/ui/prepare.ts';
import { temporaryFolder } from '../server/support.ts';

/** Milliseconds: every journey, in a browser. */
const patience = 180_000;

async function walked(origin: string) {
  const pictures = temporaryFolder();
  const ui = await prepareScreens(pictures);
  if ('missing' in ui) throw new Error(ui.missing);
  const done = await run({ origin, only: ['UI-1'], ui });
  return { result: done.results[0]!, taken: done.world.pictures, pictures };
}

test(
  'the real app walks every journey in front of our own backend',
  { timeout: patience },
  async () => {
    const reference = await startReference();
    onTestFinished(reference.stop);
    const { result, taken } = await walked(reference.address);
    expect(result).toMatchObject({ status: 'met', problems: [] });
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
    const withoutProjects = await startLayer(
      reference.address,
      {
        reply: (reply, incoming) =>
          isCall(incoming, creating) && reply.status === 201
            ? json(422, { message: 'There are enough projects.' })
            : undefined,
      },
      '10.4.0.1',
    );
    onTestFinished(withoutProjects.stop);
    const { result, taken, pictures } = await walked(withoutProjects.address);
    expect(result.status).toBe('failed');
    expect(result.problems[0]!.what).toMatch(
      /In the browser, on the journey .* creating a project should succeed, and the answer is 422/,
    );
    // The last says that the other journeys were not walked.
    expect([taken.length, result.problems.length]).toEqual([5, 6]);
    expect(result.problems.at(-1)?.what).toMatch(/were not walked/);
    const file = join(pictures, taken[0]!.file);
    expect(existsSync(file)).toBe(true);
    expect(readFileSync(file).subarray(1, 4).toString()).toBe('PNG');
  },
);
