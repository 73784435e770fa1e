import { expect, onTestFinished, test, vi } from 'vitest';

// They apply to the whole process.
vi.mock('node:v8', () => ({ setFlagsFromString() {} }));

test('the first signal stops the server, and the third one ends it at once', async () => {
  // Other tests run in this process.
  const isSignal = (name: string | symbol) => String(name).startsWith('SIG');
  onTestFinished(() =>
    process
      .eventNames()
      .filter(isSignal)
      .forEach((name) => process.removeAllListeners(name)),
  );
  const exit = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never);
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  vi.spyOn(process, 'argv', 'get').mockReturnValue(['node', 'main.ts', '--help']);
  await import('../../main.ts');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGINT'] as const) process.emit(signal);
  vi.restoreAllMocks();
  expect(exit.mock.calls).toEqual([[0], [1]]);
});
