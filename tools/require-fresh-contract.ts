/**
 * Loaded before the server by `npm start` and `npm run serve`. Ends the process with one sentence
 * if generated/contract.json, which the server reads, does not come from the openapi.yaml beside
 * it, or if the file of a handler is missing. `node server/main.ts` needs no openapi.yaml.
 */
import { existsSync, readFileSync } from 'node:fs';
import { missingHandler } from '../server/http/contract.ts';
import { exitOnUsageError, UsageError } from '../server/usage-error.ts';
import { sourceHash } from './contract-source.ts';
import { root } from './run.ts';

type Generated = {
  source?: string;
  paths: Record<string, Record<string, { operationId: string }>>;
};

await exitOnUsageError(async () => {
  const generated = readGenerated();
  if (generated?.source !== sourceHash()) {
    // Names the mistake. Without the development dependencies, the sentence below must do.
    await (await import('./contract.ts').catch(() => undefined))?.dereferencedContract();
    throw new UsageError(
      'generated/contract.json was not written from this openapi.yaml: run "npm run generate".',
    );
  }
  const ids = Object.values(generated.paths)
    .flatMap((methods) => Object.values(methods))
    .map(({ operationId }) => operationId);
  const missing = ids.filter((id) => !existsSync(`${root}server/operations/${id}.ts`));
  if (missing.length > 0) throw new UsageError(missing.map(missingHandler).join('\n'));
});

function readGenerated(): Generated | undefined {
  try {
    return JSON.parse(readFileSync(`${root}generated/contract.json`, 'utf8')) as Generated;
  } catch {
    return undefined; // missing or broken
  }
}
