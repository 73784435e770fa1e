import { expect, onTestFinished, test, vi } from 'vitest';
import { error } from './backends/changes.ts';
import { startStubServer, type BackendResponse } from './backends/stub-server.ts';

test.each<[number, number, string, () => BackendResponse | void, ...options: string[]]>([
  [1, 1, 'a problem', () => {}],
  [0, 1, 'a SHOULD that is not met', () => error(401, 'NO_SESSION'), '--only', 'ERR-22'],
  [130, 0, 'one Ctrl+C, so that a second one ends Node', () => void process.emit('SIGINT')],
  [2, 0, 'unknown options', () => {}, '--nothing'],
])(
  'exits with %i, and has %i listeners, after %s',
  async (code, count, _, onRequest, ...options) => {
    const { origin, stop } = await startStubServer(() => onRequest() ?? error(404, 'Not found.'));
    onTestFinished(stop);
    onTestFinished(() => ['SIGINT', 'SIGTERM'].forEach((name) => process.removeAllListeners(name)));
    for (const name of ['log', 'error'] as const) vi.spyOn(console, name).mockReturnValue();
    vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    vi.spyOn(process, 'argv', 'get').mockReturnValue(['', '', origin, ...options]);
    const module = `../main.ts?${code}`;
    await import(/* @vite-ignore */ module);
    expect([process.exitCode, process.listenerCount('SIGINT')]).toEqual([code, count]);
    process.exitCode = 0;
  },
);
