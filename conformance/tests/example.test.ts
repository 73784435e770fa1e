import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { startProgram } from '../../tools/start-program.ts';
import { runKit, unmetChecks } from './backends/run-kit.ts';

const server = fileURLToPath(new URL('../examples/node-http/server.mjs', import.meta.url));

test('the example of plain node:http meets every MUST and SHOULD', async () => {
  const start = async () => {
    const env = { ...process.env, PORT: '0' };
    const program = startProgram([process.execPath, server], { cwd: temporaryFolder(), env });
    const [origin] = await program.printed(/http:\S+/);
    return { origin, stop: async () => void (await program.kill('SIGTERM')) };
  };
  expect(unmetChecks(await runKit(start))).toEqual([]);
});
