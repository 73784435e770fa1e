import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

// What the ratios are ratios to: a server that does nothing but send the bytes it is told, whatever is asked. Reads them from
// the standard input, says its address, and stops when it is killed.

const { status, headers, body } = (await json(process.stdin)) as {
  status: number;
  headers: Record<string, string>;
  body: string;
};
const bytes = Buffer.from(body);

const server = createServer((request, response) => {
  request.resume().once('end', () => {
    response.writeHead(status, headers);
    response.end(bytes);
  });
});
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
