import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { root } from './run.ts';

export const contractPath = `${root}openapi.yaml`;
export const openApi30File = 'generated/openapi-3.0.json';

/** Returns the hash of openapi.yaml that `generated/contract.json` contains if it is up to date. */
export function sourceHash(): string {
  return hash('sha256', unixLines(readFileSync(contractPath, 'utf8')));
}

/** Returns a text of a checkout as it was committed. Git may have written the breaks of Windows. */
export const unixLines = (text: string) => text.replaceAll('\r\n', '\n');
