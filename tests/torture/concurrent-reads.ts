import { fuzz } from '../support/fuzz.ts';
import { fill, memoryOf, signIn } from '../support/database.ts';
import { start, type Figures, type Settings } from './scenarios.ts';

const length = 100_000;

/** Sends requests made from the contract: none may be answered with a 5xx, or with a body outside the contract. */
export async function fuzzed(settings: Settings, requests: number): Promise<Figures> {
  const running = await start({ ...settings, TRUST_PROXY: '127.0.0.1,::1' });
  try {
    return { requests, ...(await fuzz(running.address, requests)) };
  } finally {
    await running.kill();
  }
}

/** So many people read a list of 100,000 projects at once, plain and then compressed, while somebody asks for /healthz. */
export async function longLists(settings: Settings, readers: number): Promise<Figures> {
  const { address, pid, kill } = await start(settings);
  try {
    const { email, headers } = await signIn(address);
    await fill(settings, email, length);
    let slowest = 0;
    const done = new AbortController();
    const watching = watch();
    const answers = [];
    for (const encoding of ['identity', 'gzip']) {
      const reading = Array.from({ length: readers }, async () => read(encoding));
      answers.push(...(await Promise.all(reading)));
    }
    done.abort();
    await watching;
    const { peak } = memoryOf(pid);
    // Read only now: it would hold up the one who asks for /healthz, who is in this process too.
    const broken = answers.filter(({ body }) => JSON.parse(body.toString()).length !== length);
    return {
      'failed: lists that are not whole': broken.length,
      'failed: 300 MB of memory or more': peak < 300 ? 0 : 1,
      'failed: health in 250 ms or more': slowest < 250 ? 0 : 1,
      'memory at most (MB)': Math.round(peak),
      'slowest health (ms)': Math.round(slowest),
      'slowest first byte (ms)': Math.round(Math.max(...answers.map(({ first }) => first))),
      'slowest last byte (ms)': Math.round(Math.max(...answers.map(({ last }) => last))),
    };

    async function read(encoding: string) {
      const began = performance.now();
      const sent = { headers: { ...headers, 'accept-encoding': encoding } };
      const response = await fetch(`${address}/api/v1/projects`, sent);
      const first = performance.now() - began;
      const body = Buffer.from(await response.arrayBuffer());
      return { first, last: performance.now() - began, body };
    }

    async function watch() {
      while (!done.signal.aborted) {
        const began = performance.now();
        await (await fetch(`${address}/healthz`)).text();
        slowest = Math.max(slowest, performance.now() - began);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }
  } finally {
    await kill();
  }
}
