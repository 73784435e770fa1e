import { once } from 'node:events';
import { connect } from 'node:net';

/**
 * Sends bytes. Returns what the server sends until it closes. With `ends` it also sends the end of
 * the stream, at which Node cuts requests in flight.
 */
export async function exchange(address: string, bytes: string | Buffer, ends = false) {
  const socket = connect(Number(new URL(address).port), '127.0.0.1').setEncoding('utf8');
  let text = '';
  socket.on('data', (chunk) => (text += chunk)).on('error', () => {});
  if (ends) socket.end(bytes);
  else socket.write(bytes);
  await once(socket, 'close');
  return text;
}
