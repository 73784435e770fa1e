import { expect, onTestFinished, test, vi } from 'vitest';
import { exitOnUsageError, UsageError } from '../../shared/usage-error.ts';

test('a command that cannot run prints the reason and exits with 1', async () => {
  onTestFinished(() => void vi.restoreAllMocks());
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
  const print = vi.spyOn(console, 'error').mockReturnValue();
  await exitOnUsageError(() => Promise.reject(new UsageError('No folder.')));
  expect([exit.mock.calls, print.mock.calls]).toEqual([[[1]], [['No folder.']]]);
});

test('a mistake of the program itself is thrown', async () => {
  const command = () => Promise.reject(new TypeError('undefined'));
  await expect(exitOnUsageError(command)).rejects.toThrow(TypeError);
});
