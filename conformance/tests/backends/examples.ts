import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunningServer } from '../../../testing/reference-server.ts';

const folder = fileURLToPath(new URL('../../examples/', import.meta.url));

/** Starts a backend of `conformance/examples/`. */
export async function startExample(command: string, file: string): Promise<RunningServer> {
  const data = await mkdtemp(join(tmpdir(), 'example-'));
  const env = { ...process.env, PORT: '0', PYTHONDONTWRITEBYTECODE: '1' };
  const child = spawn(command, [join(folder, file)], { cwd: data, env });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const failed = new Promise<never>((_, reject) => {
    child.on('error', (error) => reject(new Error(`${command} does not start: ${error.message}`)));
    child.on('exit', (code) =>
      reject(new Error(`${command} ${file} exited with ${code}: ${errors}`)),
    );
  });
  failed.catch(() => {});
  const [output] = (await Promise.race([once(child.stdout, 'data'), failed])) as [Buffer];
  return {
    origin: /http:\S+/.exec(output.toString())![0],
    async stop() {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
      await rm(data, { recursive: true });
    },
  };
}
