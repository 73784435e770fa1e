/**
 * `npm run generate`: writes generated/, which is the types of the contract, the dereferenced
 * contract, the contract as a page, and the diagrams of the machines.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript';
import { pathToFileURL } from 'node:url';
import { machines } from '../machines/all.ts';
import { exitOnUsageError, UsageError } from '../server/usage-error.ts';
import { dereferencedContract } from './contract.ts';
import { contractPath, sourceHash } from './contract-source.ts';
import { diagram, stateTable, transitionTable } from './diagram.ts';
import { root } from './run.ts';

/** The page imports `contract.json`, so it comes after it, and is imported where it is valid. */
const generators: { [path: string]: () => Promise<string> } = {
  'generated/api.d.ts': contractTypes,
  'generated/contract.json': contractJson,
  'generated/contract.md': contractMarkdown,
  'generated/machines.md': machinesPage,
};

/** Returns the generated files that are missing or differ from what would be written now. */
export async function staleFiles(): Promise<string[]> {
  const stale: string[] = [];
  for (const [path, generate] of Object.entries(generators)) {
    const text = await generate();
    const current = await readFile(root + path, 'utf8').catch(() => undefined);
    if (current !== text) stale.push(path);
    if (stale.includes('generated/contract.json')) break;
  }
  return stale;
}

type Operation = {
  operationId: string;
  security?: unknown[];
  responses: Record<string, { content?: { 'application/json': { examples?: object } } }>;
};

/**
 * Returns the types of the contract, the operationIds that need no session, and the names of the
 * examples of errors.
 */
async function contractTypes(): Promise<string> {
  // First, because openapiTS would print the stack of a mistake.
  const { paths } = await dereferencedContract();
  const types = astToString(await openapiTS(pathToFileURL(contractPath)));
  const operations = Object.values(paths as object).flatMap(Object.values<Operation>);
  const publicIds = operations
    .filter(({ security }) => security?.length === 0)
    .map(({ operationId }) => operationId);
  const refusalNames = operations.flatMap(({ responses }) =>
    Object.entries(responses)
      .filter(([status]) => Number(status) >= 400)
      .flatMap(([, { content }]) => Object.keys(content?.['application/json'].examples ?? {})),
  );
  return [
    `${COMMENT_HEADER}${types}export type PublicOperation = ${unionOf(publicIds)};`,
    `/** An example of an error response. It has the status and the message. */`,
    `export type RefusalName = ${unionOf(refusalNames)};\n`,
  ].join('\n');
}

const unionOf = (names: string[]) =>
  [...new Set(names)].map((name) => `'${name}'`).join(' | ') || 'never';

/** Returns what is read of the contract at run time, one line per path. */
async function contractJson(): Promise<string> {
  const { paths, security } = await dereferencedContract();
  const lines = Object.entries(paths as object).map(
    ([path, item]) => `${JSON.stringify(path)}:${JSON.stringify(item)}`,
  );
  return `{"source":"${sourceHash()}","security":${JSON.stringify(security)},"paths":{\n${lines.join(',\n')}\n}}\n`;
}

async function contractMarkdown(): Promise<string> {
  const { calls, callNames } = await import('../model/calls.ts');
  for (const call of callNames) {
    if (Object.hasOwn(calls, call)) continue;
    throw new UsageError(`Add the row of ${call} to model/calls.ts: openapi.yaml has this call.`);
  }
  return (await import('./contract-page.ts')).contractPage();
}

async function machinesPage(): Promise<string> {
  const sections = Object.values(machines).map(
    (machine) =>
      `## ${machine.id}\n\n\`\`\`mermaid\n${diagram(machine)}\`\`\`\n\n${stateTable(machine)}\n${transitionTable(machine)}`,
  );
  return [
    '# Machines\n',
    'Generated from `machines/` by `npm run generate`. Edit the machines, not this page.\n' +
      'The statements are those of `docs/specification.md`.\n',
    ...sections,
  ].join('\n');
}

if (import.meta.main) {
  await exitOnUsageError(async () => {
    await mkdir(`${root}generated/`, { recursive: true });
    for (const [path, generate] of Object.entries(generators)) {
      await writeFile(root + path, await generate());
      console.log(path);
    }
  });
}
