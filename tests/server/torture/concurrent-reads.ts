import { signedInClient } from '../../support/cookie-client.ts';
import { insertProjects, peakMemoryMb } from '../../support/database.ts';
import { startServerProcess, type Settings } from '../../support/server-process.ts';
import type { Figures } from './scenarios.ts';

const projectCount = 100_000;
const maxMemoryMb = 300;
const maxHealthMs = 250;

/**
 * Lets several readers fetch a list of 100,000 projects at once, first plain and then compressed.
 * Meanwhile measures /healthz.
 */
export async function readLongLists(settings: Settings, readers: number): Promise<Figures> {
  await using server = await startServerProcess(settings);
  const { address, pid } = server;
  const client = await signedInClient(address);
  await insertProjects(settings, client.credentials.email, projectCount);
  const finished = new AbortController();
  let slowestHealthMs = 0;
  const watching = watchHealth();
  const responses = [];
  for (const encoding of ['identity', 'gzip']) {
    const reading = Array.from({ length: readers }, () => read(encoding));
    responses.push(...(await Promise.all(reading)));
  }
  finished.abort();
  await watching;
  const memoryMb = peakMemoryMb(pid);
  // Parsed after the measurement, because parsing would delay the health requests of this process.
  const incomplete = responses.filter(
    ({ body }) => JSON.parse(body.toString()).length !== projectCount,
  );
  return {
    'failed: incomplete lists': incomplete.length,
    [`failed: ${maxMemoryMb} MB of memory or more`]: memoryMb < maxMemoryMb ? 0 : 1,
    [`failed: health check of ${maxHealthMs} ms or more`]: slowestHealthMs < maxHealthMs ? 0 : 1,
    'peak memory (MB)': Math.round(memoryMb),
    'slowest health check (ms)': Math.round(slowestHealthMs),
    'slowest first byte (ms)': Math.round(
      Math.max(...responses.map(({ firstByteMs }) => firstByteMs)),
    ),
    'slowest last byte (ms)': Math.round(
      Math.max(...responses.map(({ lastByteMs }) => lastByteMs)),
    ),
  };

  async function read(encoding: string) {
    const startMs = performance.now();
    const headers = { ...client.cookieHeaders(), 'accept-encoding': encoding };
    const response = await fetch(`${address}/api/v1/projects`, { headers });
    const firstByteMs = performance.now() - startMs;
    const body = Buffer.from(await response.arrayBuffer());
    return { firstByteMs, lastByteMs: performance.now() - startMs, body };
  }

  async function watchHealth() {
    while (!finished.signal.aborted) {
      const startMs = performance.now();
      await (await fetch(`${address}/healthz`)).text();
      slowestHealthMs = Math.max(slowestHealthMs, performance.now() - startMs);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
