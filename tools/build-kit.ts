/**
 * Bundles the kit into `conformance/dist/`: JavaScript without dependencies, which runs on Node 20,
 * the contract and the licenses. `npm pack` runs this first.
 */
import { chmodSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type InlineConfig } from 'vite';
import { openApi30File } from './contract-source.ts';

const pathOf = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

const kitConfig: InlineConfig = {
  configFile: false,
  root: pathOf(''),
  logLevel: 'warn',
  publicDir: false,
  build: {
    ssr: pathOf('conformance/main.ts'),
    outDir: pathOf('conformance/dist/bin'),
    target: 'node20',
    // Lists the licenses of the bundled packages, which require that.
    license: { fileName: 'third-party-licenses.md' },
    rolldownOptions: { output: { entryFileNames: 'kit.js', chunkFileNames: '[name].js' } },
  },
  ssr: { noExternal: true },
};

rmSync(pathOf('conformance/dist'), { recursive: true, force: true });
await build(kitConfig);
const program = pathOf('conformance/dist/bin/conformance.js');
writeFileSync(
  program,
  `#!/usr/bin/env node\n${readFileSync(pathOf('conformance/launcher.js'), 'utf8')}`,
);
chmodSync(program, 0o755);
const texts = [
  'LICENSE',
  'openapi.yaml',
  openApi30File,
  'generated/contract.md',
  'docs/specification.md',
];
for (const file of texts) cpSync(pathOf(file), pathOf(`conformance/dist/${basename(file)}`));
