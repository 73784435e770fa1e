import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { optionalSoftware, requireSoftware } from '../../../tools/optional-software.ts';
import type { RunningServer } from '../../../testing/reference-server.ts';

const folder = fileURLToPath(new URL('../../examples/', import.meta.url));

/** The backends in `conformance/examples/`. `runtime` is what a computer may lack. */
export const exampleServers = [
  {
    name: 'plain node:http',
    runtime: undefined,
    start: () => startExample(process.execPath, 'node-http/server.mjs'),
  },
  {
    name: 'Django',
    runtime: optionalSoftware.django,
    start: () => startExample(requireSoftware(optionalSoftware.django).program, 'django/manage.py'),
  },
];

async function startExample(command: string, ...files: string[]): Promise<RunningServer> {
  const data = await mkdtemp(join(tmpdir(), 'example-'));
  const paths = files.map((file) => join(folder, file));
  const env = { ...process.env, PORT: '0', PYTHONDONTWRITEBYTECODE: '1' };
  const child = spawn(command, paths, { cwd: data, env });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const failed = new Promise<never>((_, reject) => {
    child.on('error', (error) => reject(new Error(`${command} does not start: ${error.message}`)));
    child.on('exit', (code) =>
      reject(new Error(`${[command, ...files].join(' ')} exited with ${code}: ${errors}`)),
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
