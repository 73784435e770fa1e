// @module-tag nginx
import { expect, test } from 'vitest';
import { answerWhenRead, startProxyForTest, startUpstream, testProxy } from './test-proxy.ts';

testProxy('nginx');

test('a server that stands still fails no GET', async () => {
  const still = await startUpstream(() => {});
  const working = await startUpstream(answerWhenRead);
  const { address } = await startProxyForTest(
    'nginx',
    [still.address, working.address],
    [['proxy_read_timeout 25s', 'proxy_read_timeout 1s']],
  );
  for (let i = 0; i < 2; i += 1) expect((await fetch(address)).status).toBe(200);
  expect(still.count('GET')).toBeGreaterThan(0);
  expect(working.count('GET')).toBe(2);
});
