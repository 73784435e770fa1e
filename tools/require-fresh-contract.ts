/**
 * Loaded before the server by `npm start`, `serve` and `dev:server`. Ends the process with one
 * sentence if generated/contract.json, which the server reads, does not come from the openapi.yaml
 * beside it. `node server/main.ts` needs no openapi.yaml.
 */
import { readFileSync } from 'node:fs';
import { exitOnUsageError, UsageError } from '../shared/usage-error.ts';
import { sourceHash } from './contract-source.ts';
import { root } from './run.ts';

type Generated = { source?: string };

await exitOnUsageError(async () => {
  const generated = readGenerated();
  if (generated?.source !== sourceHash()) {
    // Names the mistake. Without the development dependencies, the sentence below must do.
    await (await import('./contract.ts').catch(() => undefined))?.dereferencedContract();
    throw new UsageError(
      'generated/contract.json was not written from this openapi.yaml: run "npm run generate".',
    );
  }
});

function readGenerated(): Generated | undefined {
  try {
    return JSON.parse(readFileSync(`${root}generated/contract.json`, 'utf8')) as Generated;
  } catch {
    return undefined; // missing or broken
  }
}
