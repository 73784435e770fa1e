import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startServer, type Running } from './fault-proxy.ts';

/** A backend that has nothing of ours, and what the kit has to say of it. */
export type WrongServer = { name: string; killedBy: string[]; start: () => Promise<Running> };

/** Servers that are wrong altogether. */
export const wrongServers: WrongServer[] = [
  {
    name: 'a web server that shows a page at every address',
    killedBy: ['REACH-1'],
    start: () =>
      startServer((_, response) => {
        response.writeHead(200, { 'content-type': 'text/html' });
        response.end('<!doctype html><title>Tracker App</title><div id="root"></div>');
      }),
  },
  {
    name: 'a backend without the base path /api/v1',
    killedBy: ['REACH-1'],
    start: () =>
      startServer((message, response) => {
        const isHere = message.url === '/projects';
        response.writeHead(isHere ? 401 : 404, { 'content-type': 'application/json' });
        response.end(isHere ? '{"message":"Please sign in."}' : '{"error":"Not Found"}');
      }),
  },
  {
    name: 'a server that answers everything with {}',
    killedBy: ['SIGNIN-1', 'PROJECT-1', 'PROJECT-2'],
    start: () =>
      startServer((_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end('{}');
      }),
  },
  {
    name: 'a server that takes connections and never answers',
    killedBy: ['REACH-1'],
    start: () => startServer(() => {}),
  },
  {
    name: 'a mock that answers with the examples of the contract and keeps nothing',
    killedBy: ['PROJECT-4', 'SIGNIN-1'],
    async start() {
      const { startPrism } = await import('../../../tools/dev-backend.ts');
      const { url, close } = await startPrism();
      return { address: url, stop: close };
    },
  },
];

/** The two examples that show how little a backend needs. */
export const examples: { name: string; start: () => Promise<Running> }[] = [
  { name: 'plain node:http', start: () => startProgram(process.execPath, 'node-http/server.mjs') },
  { name: "Python's standard library", start: () => startProgram('python3', 'python/server.py') },
];

/** Starts one of `conformance/examples/` on a free port. Throws, by name, where the language is not there. */
async function startProgram(command: string, file: string): Promise<Running> {
  const path = fileURLToPath(new URL(`../../../conformance/examples/${file}`, import.meta.url));
  const child = spawn(command, [path], { env: { ...process.env, PORT: '0' } });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const failed = new Promise<never>((_, reject) => {
    child.on('error', (error) =>
      reject(new Error(`${command} is needed for ${file}: ${error.message}`)),
    );
    child.on('exit', (code) => reject(new Error(`${file} ended with ${code}: ${errors}`)));
  });
  failed.catch(() => {});
  const [said] = (await Promise.race([once(child.stdout, 'data'), failed])) as [Buffer];
  return {
    address: /http:\S+/.exec(said.toString())![0],
    async stop() {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
    },
  };
}
