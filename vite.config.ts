import './tools/node-version.js';
import { vanillaExtractPlugin } from '@vanilla-extract/vite-plugin';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { devBackend } from './tools/dev-backend.ts';
import type { Plugin } from 'vite';
import { precompress } from './tools/precompress.ts';
import { prerender } from './src/prerender/vite-plugin.ts';

/**
 * Replaces Vite's preload helper for `import()`, because src/prerender/inline-script.ts requests
 * the lazy chunk early. Saves 451 bytes of `/` (brotli), half a percent. `modulePreload: false` saves
 * none of them.
 */
function plainImports(): Plugin {
  return {
    name: 'plain-imports',
    enforce: 'pre',
    load: (id) =>
      id === '\0vite/preload-helper.js' ? 'export const __vitePreload = (load) => load();' : null,
  };
}

/**
 * Removes the descriptions and statement ids of the charts: 540 bytes (brotli). Fails where one is
 * left. The generated paths are executed on the build as well.
 */
function stripChartDocs(): Plugin {
  const docs = /\b(description: '[^'\n]*'|meta: \{ statements: \[[^\]]*\] \}),?/g;
  return {
    name: 'strip-chart-docs',
    apply: 'build',
    enforce: 'pre',
    transform(source, id) {
      if (!/\/machines\/\w+\.ts$/.test(id)) return null;
      const code = source.replace(docs, '');
      if (/description: |statements: \[/.test(code)) this.error(`Cannot strip the chart in ${id}.`);
      return { code, map: null };
    },
  };
}

export default defineConfig({
  base: './',
  plugins: [
    plainImports(),
    stripChartDocs(),
    react(),
    vanillaExtractPlugin(),
    devBackend(process.env['API_URL']),
    prerender(),
    precompress(),
  ],
  build: {
    target: 'es2023',
    outDir: 'dist',
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    // Prerendering and the best compression are most of the build, so Vite would warn about them.
    rolldownOptions: { checks: { bundlerTimings: false } },
  },
  resolve: {
    // React 18 and later have the hook that this package adds to older versions.
    alias: [
      { find: /^use-sync-external-store\/shim$/, replacement: 'react' },
      {
        find: 'use-sync-external-store/shim/with-selector',
        replacement: 'use-sync-external-store/with-selector',
      },
    ],
  },
  test: {
    // The default leaves one core free. Tests wait for browsers and databases most of the time, so
    // four workers are faster on two cores.
    maxWorkers: 4,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Generous, because the tests share the machine with browsers and databases.
    expect: { poll: { timeout: 30_000 } },
    // Test files change no module that others import. Sharing modules takes a fifth of the time.
    isolate: false,
    // Few projects, because each loads its modules again.
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          include: ['tests/{unit,browser}/**/*.test.ts', 'tests/model/processes/**/*.test.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'jsdom',
          include: ['tests/{screens,model}/**/*.test.{ts,tsx}'],
          exclude: ['tests/model/processes/**'],
          environment: 'jsdom',
          pool: 'threads',
          setupFiles: ['tests/support/screens-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'server',
          include: ['tests/{server,conformance}/**/*.test.ts'],
          globalSetup: 'tests/server/global-setup.ts',
        },
      },
    ],
  },
});
