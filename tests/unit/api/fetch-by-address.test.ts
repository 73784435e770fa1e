import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { fetchByAddress } from '../../../src/api/prefetched-list.ts';

type Received = Pick<IncomingMessage, 'method' | 'headers'> & { body: string };

const received: Received[] = [];
const server = createServer(async (request, response) => {
  received.push({ method: request.method, headers: request.headers, body: await text(request) });
  response.end();
});

beforeAll(async () => {
  vi.stubGlobal('window', { fetch });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});

afterAll(() => {
  vi.unstubAllGlobals();
  server.close();
});

async function send(init: RequestInit): Promise<Received> {
  const { port } = server.address() as AddressInfo;
  await fetchByAddress(new Request(`http://127.0.0.1:${port}/`, init));
  return received.pop()!;
}

test('a request with its body as a text is sent at once, because the tab may close [CHOICE-123]', async () => {
  const sent = vi.spyOn(window, 'fetch').mockResolvedValue(new Response());
  const request = new Request('http://127.0.0.1/', { method: 'POST', keepalive: true });
  const answer = fetchByAddress(Object.assign(request, { bodyText: '{}' }));
  expect(sent).toHaveBeenCalledWith(
    request.url,
    expect.objectContaining({ body: '{}', keepalive: true }),
  );
  sent.mockRestore();
  await answer;
});

test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])(
  'a %s without a body arrives without a content type',
  async (method) => {
    const { headers, ...rest } = await send({ method });
    expect({ ...rest, type: headers['content-type'] }).toEqual({
      method,
      body: '',
      type: undefined,
    });
  },
);

test.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
  'the body of a %s arrives with its content type',
  async (method) => {
    const headers = { 'content-type': 'application/json' };
    const sent = await send({ method, headers, body: '{"a":1}' });
    expect(sent).toMatchObject({ method, body: '{"a":1}', headers });
  },
);
