/**
 * Makes of the kit one file of JavaScript that needs no package and runs on Node 20, in `conformance/dist/`, with the contract and
 * the built app beside it. Runs by itself before the kit is packed.
 */
import { chmodSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

rmSync(at('dist'), { recursive: true, force: true });
await build({ root: at('..'), logLevel: 'warn' });
cpSync(at('../dist'), at('dist/app'), {
  recursive: true,
  filter: (path) => !/\.(br|gz)$/.test(path),
});
await build({
  configFile: false,
  root: at('..'),
  logLevel: 'warn',
  publicDir: false,
  build: {
    ssr: at('main.ts'),
    outDir: at('dist/bin'),
    target: 'node20',
    rolldownOptions: { output: { entryFileNames: 'conformance.js', chunkFileNames: '[name].js' } },
  },
  ssr: { noExternal: true, external: ['playwright-core', 'vite'] },
});
const program = at('dist/bin/conformance.js');
writeFileSync(program, `#!/usr/bin/env node\n${readFileSync(program, 'utf8')}`);
chmodSync(program, 0o755);
// Where the bundled code looks for it.
cpSync(at('../openapi.yaml'), at('dist/openapi.yaml'));
cpSync(at('../LICENSE'), at('dist/LICENSE'));
