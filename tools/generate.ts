/**
 * `npm run generate`: writes generated/, which is the types and operations of the contract,
 * the dereferenced contract, the contract in OpenAPI 3.0 and as a page, and the diagrams of the
 * machines.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript';
import { pathToFileURL } from 'node:url';
import { exitOnUsageError, UsageError } from '../shared/usage-error.ts';
import { contractInOpenApi30, dereferencedContract } from './contract.ts';
import { contractPath, openApi30File, sourceHash, unixLines } from './contract-source.ts';
import { operationsModule } from './operations.ts';
import { diagram, stateTable, transitionTable } from './diagram.ts';
import { root } from './run.ts';

/** The pages import the files before them, so they come last, and import where those are valid. */
const generators: { [path: string]: () => Promise<string> } = {
  'generated/api.d.ts': contractTypes,
  'generated/operations.ts': async () => operationsModule(await dereferencedContract()),
  'generated/contract.json': contractJson,
  [openApi30File]: async () => `${JSON.stringify(await contractInOpenApi30(), null, 2)}\n`,
  'generated/contract.md': contractMarkdown,
  'generated/machines.md': machinesPage,
};

/** Returns the generated files that are missing or differ from what would be written now. */
export async function staleFiles(): Promise<string[]> {
  const stale: string[] = [];
  for (const [path, generate] of Object.entries(generators)) {
    const text = await generate();
    const current = await readFile(root + path, 'utf8').then(unixLines, () => undefined);
    if (current !== text) stale.push(path);
    if (stale.some((stalePath) => !stalePath.endsWith('.md'))) break;
  }
  return stale;
}

async function contractTypes(): Promise<string> {
  // First, because openapiTS would print the stack of a mistake.
  await dereferencedContract();
  return COMMENT_HEADER + astToString(await openapiTS(pathToFileURL(contractPath)));
}

/** Returns what is read of the contract at run time, one line per path. */
async function contractJson(): Promise<string> {
  const { paths, security } = await dereferencedContract();
  const lines = Object.entries(paths).map(
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
  const { machines } = await import('../machines/all.ts');
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
