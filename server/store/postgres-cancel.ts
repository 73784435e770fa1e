import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import type { PoolClient } from 'pg';

export type Connection = PoolClient & { processID: number; secretKey: number };

const cancelTimeoutMs = 2_000;

/** Returns true if PostgreSQL or its pooler received the request to cancel the statement. */
export async function cancel({ host, port, processID, secretKey }: Connection): Promise<boolean> {
  const path = host.startsWith('/') && `${host}/.s.PGSQL.${port}`;
  const socket = connectSocket(path ? { path } : { host, port });
  socket.on('error', () => {}).setTimeout(cancelTimeoutMs, () => socket.destroy());
  socket.write(Buffer.from(Int32Array.of(16, 80_877_102, processID, secretKey).buffer).swap32());
  let isReceived = false;
  socket.resume().once('end', () => (isReceived = true));
  await once(socket, 'close').catch(() => {});
  return isReceived;
}
