import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunningServer } from '../../../testing/reference-server.ts';
import { startProgram } from '../../../tools/start-program.ts';

const folder = fileURLToPath(new URL('../../examples/', import.meta.url));

/** Starts a backend of `conformance/examples/`. */
export async function startExample(command: string, file: string): Promise<RunningServer> {
  const data = await mkdtemp(join(tmpdir(), 'example-'));
  const env = { ...process.env, PORT: '0', PYTHONDONTWRITEBYTECODE: '1' };
  const program = startProgram([command, join(folder, file)], { cwd: data, env });
  const [origin] = await program.printed(/http:\S+/);
  return {
    origin,
    async stop() {
      await program.kill('SIGTERM');
      await rm(data, { recursive: true });
    },
  };
}
