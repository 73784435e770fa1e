/** Which call a request makes, by its method and path. */
import { operationTable } from '../generated/operations.ts';
import { pathPattern } from '../shared/path-templates.ts';
import type { Call } from './calls.ts';

type Operation = { method: string; path: string; hasBody: boolean; successStatus: number };

const operations = Object.entries<Operation>(operationTable).map(([call, operation]) => ({
  ...operation,
  call: call as Call,
  method: operation.method.toUpperCase(),
  pattern: pathPattern(operation.path),
}));

/** Returns what the contract has on a call: its path has the parameters in braces. */
export const operationOf = (call: Call) => operations.find((operation) => operation.call === call)!;

/** Returns the call that a request makes, and its encoded path parameters; undefined for none. */
export function findCall(method: string, path: string) {
  for (const operation of operations) {
    const match = operation.method === method && operation.pattern.exec(path.split('?')[0]!);
    if (match) return { call: operation.call, params: { ...match.groups } };
  }
  return undefined;
}

/** Returns the call that a request makes, and what it sends: its path parameters and its body. */
export function parseRequest(method: string, url: string, body: unknown) {
  const { pathname } = new URL(url);
  const found = findCall(method, pathname);
  if (!found) throw new Error(`The contract has no ${method} ${pathname}.`);
  const params = Object.entries(found.params).map(([name, value]) => [
    name,
    decodeURIComponent(value),
  ]);
  const sent = { ...Object.fromEntries(params), ...(body as object | undefined) };
  return { call: found.call, sent: Object.keys(sent).length > 0 ? (sent as object) : undefined };
}
