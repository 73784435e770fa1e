import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runtimes } from '../../../tools/engines.ts';
import type { RunningServer } from '../../support/reference-server.ts';

const folder = fileURLToPath(new URL('../../../conformance/examples/', import.meta.url));

/** The backends in `conformance/examples/`. `runtime` is what a computer may lack. */
export const exampleServers = [
  {
    name: 'plain node:http',
    runtime: undefined,
    start: () => startExample(process.execPath, 'node-http/server.mjs'),
  },
  {
    name: "Python's standard library",
    runtime: undefined,
    start: () => startExample('python3', 'python/server.py'),
  },
  {
    name: 'Express 5',
    runtime: undefined,
    start: () => startExample(process.execPath, 'express/server.mjs'),
  },
  {
    name: 'FastAPI',
    runtime: runtimes.fastapi,
    start: async () => startExample(find(runtimes.fastapi).command, 'fastapi/main.py'),
  },
  {
    name: 'Django',
    runtime: runtimes.django,
    start: async () => startExample(find(runtimes.django).command, 'django/manage.py'),
  },
  {
    name: 'Go',
    runtime: runtimes.go,
    start: async () => startExample(await buildGo('go/main.go')),
  },
];

/** Throws if the runtime is not installed. */
function find<Found>(runtime: {
  name: string;
  installAdvice: string;
  find: () => Found | undefined;
}): Found {
  const found = runtime.find();
  if (!found) throw new Error(`${runtime.name} was not found. ${runtime.installAdvice}`);
  return found;
}

/** Builds a program, because `go run` does not end it when it is ended itself. */
async function buildGo(file: string): Promise<string> {
  const { command, goPath } = find(runtimes.go);
  const buildFolder = join(tmpdir(), 'tracker-example-go');
  const program = join(buildFolder, 'server');
  await promisify(execFile)(command, ['build', '-o', program, join(folder, file)], {
    env: {
      ...process.env,
      GO111MODULE: 'off',
      GOPATH: goPath,
      GOCACHE: join(buildFolder, 'cache'),
    },
  });
  return program;
}

async function startExample(command: string, ...files: string[]): Promise<RunningServer> {
  const data = await mkdtemp(join(tmpdir(), 'example-'));
  const child = spawn(
    command,
    files.map((file) => join(folder, file)),
    {
      cwd: data,
      env: { ...process.env, PORT: '0', PYTHONDONTWRITEBYTECODE: '1' },
    },
  );
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
