import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { trackConnections } from '../../http/connections.ts';

test('a connection is idle between its requests, and not when a part of the next one is there', async () => {
  const server = createServer({ keepAliveTimeout: 0 }, (_, response) => response.end());
  const connections = trackConnections(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  const [socket] = await once(server, 'connection');
  const isIdle = () => connections.isIdle(socket);
  expect(isIdle()).toBe(false);
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(client, 'data');
  await expect.poll(isIdle).toBe(true);
  const { bytesRead } = socket;
  client.write('GET / HT');
  await expect.poll(() => socket.bytesRead).toBeGreaterThan(bytesRead);
  expect(isIdle()).toBe(false);
});
