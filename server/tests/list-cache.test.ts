import { gunzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createListSender } from '../http/list-responses.ts';

describe('the cache', () => {
  const megabyte = 1024 * 1024;

  test('keeps the most recently used lists, up to 32 MB', async () => {
    const { app, reads } = sendListsOf(() => [megabyte]);
    const owners = Array.from({ length: 40 }, (_, i) => `${i}`);
    for (const owner of owners) await app.inject(`/${owner}`);
    expect(reads.splice(0)).toEqual(owners);
    // With quotes and brackets, each list is a little larger than 1 MB.
    for (const owner of owners.slice(-31)) await app.inject(`/${owner}`);
    expect(reads).toEqual([]);
    await app.inject('/8');
    expect(reads).toEqual(['8']);
  });

  test.each([
    ['one part', [20_000], false],
    ['three parts', [20_000, 10_000, 20_000], true],
  ])('has a list of %s after its first response: %s', async (_case, lengths, isReadAgain) => {
    const { app, reads, change } = sendListsOf(() => lengths);
    const texts = JSON.stringify(lengths.map((length) => 'x'.repeat(length)));
    const plain = async () => (await app.inject('/ada')).body;
    const gzipped = async () => {
      const headers = { 'accept-encoding': 'gzip' };
      return gunzipSync((await app.inject({ url: '/ada', headers })).rawPayload).toString();
    };
    for (const receiveBody of [plain, gzipped]) {
      expect(await receiveBody()).toBe(texts);
      expect(reads.splice(0)).toEqual(['ada']);
      expect(await receiveBody()).toBe(texts);
      expect(reads.splice(0)).toEqual(isReadAgain ? ['ada'] : []);
    }
    change();
    expect(await plain()).toBe(texts);
    expect(reads).toEqual(['ada']);
  });
});

/** Returns a server of lists with texts of these lengths, each in a part of its own. */
function sendListsOf(lengthsOf: () => number[]) {
  const reads: string[] = [];
  let version = 1;
  const app = Fastify();
  onTestFinished(() => app.close());
  const sendList = createListSender('hash');
  app.get<{ Params: { ownerId: string } }>('/:ownerId', (incoming, reply) => {
    const { ownerId } = incoming.params;
    async function* parts() {
      reads.push(ownerId);
      const lengths = lengthsOf();
      for (const [i, length] of lengths.entries()) {
        yield { json: JSON.stringify(['x'.repeat(length)]), isLast: i === lengths.length - 1 };
      }
    }
    return sendList(incoming, reply, { ownerId, version: `${version}`, parts });
  });
  return { app, reads, change: () => (version += 1) };
}
