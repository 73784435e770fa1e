/**
 * Baseline of the server benchmark: answers each request with the same bytes. Reads them from
 * standard input and prints its address.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export interface FixedResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

const { status, headers, body } = (await json(process.stdin)) as FixedResponse;
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
