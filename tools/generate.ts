/**
 * Writes what is generated: the types of the contract and the diagrams of the machines. `--check` only tells what is stale.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { bundle, createConfig } from '@redocly/openapi-core';
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript';
import { fileURLToPath } from 'node:url';
import { authMachine } from '../machines/auth.ts';
import { projectsMachine } from '../machines/projects.ts';
import { diagram, stateTable, table } from './diagram.ts';

const root = new URL('../', import.meta.url);

/** Names the generated files that differ from what would be written now, a missing one included. */
export async function stale(): Promise<string[]> {
  const files = Object.entries(await generate());
  const fresh = await Promise.all(files.map(async ([path, text]) => (await read(path)) === text));
  return files.map(([path]) => path).filter((_, index) => !fresh[index]);
}

async function generate(): Promise<{ [path: string]: string }> {
  return {
    'generated/api.d.ts':
      COMMENT_HEADER + astToString(await openapiTS(new URL('./openapi.yaml', root))),
    'generated/contract.json': await contractJson(),
    'generated/machines.md': machinesPage(),
  };
}

/** Returns openapi.yaml without `$ref`s, one line per path, for everything that reads it at run time. */
async function contractJson(): Promise<string> {
  const { bundle: bundled, problems } = await bundle({
    ref: fileURLToPath(new URL('./openapi.yaml', root)),
    config: await createConfig({}),
    dereference: true,
  });
  if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join('\n'));
  const { paths, security } = bundled.parsed as { paths: object; security: unknown };
  const lines = Object.entries(paths).map(
    ([path, item]) => `${JSON.stringify(path)}:${JSON.stringify(item)}`,
  );
  return `{"security":${JSON.stringify(security)},"paths":{\n${lines.join(',\n')}\n}}\n`;
}

function machinesPage(): string {
  const sections = [authMachine, projectsMachine].map(
    (machine) =>
      `## ${machine.id}\n\n\`\`\`mermaid\n${diagram(machine)}\`\`\`\n\n${stateTable(machine)}\n${table(machine)}`,
  );
  return [
    '# Machines\n',
    'Drawn from `machines/` by `npm run generate`. Changes belong there: `npm run check` fails when this page is not what it draws.\n' +
      'The statements are those of `docs/specification.md`.\n',
    ...sections,
  ].join('\n');
}

async function read(path: string): Promise<string | undefined> {
  try {
    return await readFile(new URL(path, root), 'utf8');
  } catch {
    return undefined;
  }
}

if (import.meta.main) {
  if (process.argv.includes('--check')) {
    const paths = await stale();
    for (const path of paths) console.error(`${path} is stale: npm run generate`);
    process.exitCode = paths.length > 0 ? 1 : 0;
  } else {
    await mkdir(new URL('./generated/', root), { recursive: true });
    for (const [path, text] of Object.entries(await generate())) {
      await writeFile(new URL(path, root), text);
      console.log(path);
    }
  }
}
