import { randomUUID } from 'node:crypto';
import type { NewProject } from '../../machines/types.ts';
import { CookieClient, type Reply } from '../cookie-client.ts';
import { projectOf, textNames } from '../projects.ts';

const keyName = textNames[0]!;

/** Client whose calls never reject: a call without a response has status 0. */
export class TortureClient extends CookieClient {
  /** More than the time limits of the server, which answers late while its database hangs. */
  override maxResponseMs = 60_000;

  override async call(...args: Parameters<CookieClient['call']>): Promise<Reply> {
    try {
      return await super.call(...args);
    } catch {
      return { status: 0, headers: {}, setCookies: [], body: undefined };
    }
  }

  /** Returns a client for another address that shares the account and the cookies. */
  at(address: string): TortureClient {
    return new TortureClient(address, this.credentials, this.cookies);
  }

  /** Creates a project with its idempotency key as a text. */
  create = (key: string) =>
    this.createProject(
      projectOf((name) => (name === keyName ? key : 'x'.repeat(200))),
      { headers: { 'idempotency-key': key } },
    );

  /** Returns the keys with which the account's projects were created. */
  async keys(): Promise<string[]> {
    const { status, body } = await this.listProjects();
    if (status !== 200) {
      throw new Error(`The list was answered with ${status}: is the session lost?`);
    }
    return (body as Required<NewProject>[]).map((project) => project[keyName]);
  }
}

/** The keys of projects, by whether the server acknowledged them with 201. */
export interface CreatedKeys {
  acknowledged: string[];
  /** Acknowledged when the crash had begun: a disk without power may report that it synced. */
  acknowledgedLate: string[];
  unacknowledged: string[];
}

/**
 * Creates projects in `streams` parallel loops, which share the clients, until `signal` aborts.
 * `crash` aborts before acknowledgements lose their meaning.
 */
export async function createUntil(
  signal: AbortSignal,
  clients: TortureClient[],
  streams: number,
  onAcknowledged: (count: number) => void,
  crash?: AbortSignal,
): Promise<CreatedKeys> {
  const keys: CreatedKeys = { acknowledged: [], acknowledgedLate: [], unacknowledged: [] };
  await Promise.all(
    Array.from({ length: streams }, async (_, i) => {
      const client = clients[i % clients.length]!;
      while (!signal.aborted) {
        const key = randomUUID();
        const { status } = await client.create(key);
        if (status === 201 && crash?.aborted) {
          keys.acknowledgedLate.push(key);
        } else if (status === 201) {
          keys.acknowledged.push(key);
          onAcknowledged(keys.acknowledged.length);
        } else {
          keys.unacknowledged.push(key);
        }
      }
    }),
  );
  return keys;
}

/** Compares the store with the acknowledged keys. Then retries the other keys, like a browser. */
export async function compareWithStore(
  client: TortureClient,
  { acknowledged, acknowledgedLate, unacknowledged }: CreatedKeys,
) {
  const before = new Set(await client.keys());
  const retried = [...acknowledgedLate, ...unacknowledged];
  for (const key of retried) await client.create(key);
  const after = await client.keys();
  return {
    acknowledged: acknowledged.length,
    lost: acknowledged.filter((key) => !before.has(key)).length,
    'acknowledged after the crash began': acknowledgedLate.length,
    'of these missing': acknowledgedLate.filter((key) => !before.has(key)).length,
    unacknowledged: unacknowledged.length,
    'of them stored': unacknowledged.filter((key) => before.has(key)).length,
    'lost after a retry': retried.filter((key) => !after.includes(key)).length,
    duplicated: after.length - new Set(after).size,
  };
}

/** Compares the store with the keys of several clients. Returns the sums. */
export async function compareAllWithStore(created: [TortureClient, CreatedKeys][]) {
  const all = await Promise.all(created.map((each) => compareWithStore(...each)));
  return all.reduce((sums, figures) => {
    const names = Object.keys(sums) as (keyof typeof sums)[];
    for (const name of names) sums[name] += figures[name];
    return sums;
  });
}
