import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { waitFor } from '../../shared/waits.ts';
import { isRunning } from '../../tools/process-tree.ts';
import { runProgram } from '../../tools/run.ts';
import { startProgram } from '../../tools/start-program.ts';

const shell = (script: string) => startProgram(['sh', '-c', script]);

test('returns what a program printed and how it ended', async () => {
  expect(await shell('echo out; echo problem >&2; exit 3').ended).toEqual({
    code: 3,
    signal: null,
    output: 'out\n',
    errors: 'problem\n',
  });
});

test('a program that is killed after its time limit has failed', async () => {
  const lines = await runProgram(['sh', '-c', 'echo out; exec sleep 60'], 0.2);
  expect(lines).toEqual(['out', '(timed out after 0.2 seconds)']);
});

test('throws what a program printed if it ends before it is ready', async () => {
  const program = shell('echo no disk >&2; exit 3');
  const text = program.printed(/ready/);
  const condition = program.waitFor('it to be ready', () => false);
  await expect(text).rejects.toThrow('sh ended with code 3: no disk');
  await expect(condition).rejects.toThrow('sh ended with code 3: no disk');
});

test('throws that a program is not installed', async () => {
  const missing = startProgram(['no-such-program']);
  await expect(missing.printed(/ready/)).rejects.toThrow('spawn no-such-program ENOENT');
});

test('asks no more after the limit', async () => {
  const isDone = vi.fn<() => boolean>(() => false);
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const late = waitFor('rain', isDone, 100).catch((error: Error) => error.message);
  await vi.advanceTimersByTimeAsync(200);
  expect(await late).toContain('waits for rain');
  isDone.mockClear();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(isDone).not.toHaveBeenCalled();
});

test('names what did not happen within the limit', async () => {
  await expect(waitFor('rain', () => false, 10)).rejects.toThrow('waits for rain: 10 ms');
  await expect(waitFor('an answer', () => delay(1000, true), 10)).rejects.toThrow('an answer');
  await using program = shell('sleep 60');
  await expect(program.printed(/ready/, 10)).rejects.toThrow('waits for sh to print /ready/');
});

test('kills the descendants with a program', { tags: '/proc' }, async () => {
  let pid = 0;
  {
    await using program = shell('sleep 60 & echo $!; wait');
    pid = Number((await program.printed(/\d+\n/))[0]);
    expect(isRunning(pid)).toBe(true);
  }
  expect(isRunning(pid)).toBe(false);
});
