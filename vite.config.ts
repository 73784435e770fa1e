import './tools/node-version.js';
import { vanillaExtractPlugin } from '@vanilla-extract/vite-plugin';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { devBackend } from './tools/dev-backend.ts';
import type { Plugin } from 'vite';
import { precompress } from './tools/precompress.ts';
import { prerender } from './src/prerender/vite-plugin.ts';

/** Vite's own helper for `import()` looks for scripts and styles to fetch beforehand; here src/prerender/inline-script.ts does. */
function plainImports(): Plugin {
  return {
    name: 'plain-imports',
    enforce: 'pre',
    load: (id) =>
      id === '\0vite/preload-helper.js' ? 'export const __vitePreload = (load) => load();' : null,
  };
}

/** Removes from the build what the charts say to readers and tools: 540 bytes as sent. */
function stripChartDocs(): Plugin {
  const docs = /\b(description: '[^'\n]*'|meta: \{ statements: \[[^\]]*\] \}),?/g;
  return {
    name: 'strip-chart-docs',
    apply: 'build',
    enforce: 'pre',
    transform: (code, id) =>
      /\/machines\/\w+\.ts$/.test(id) ? { code: code.replace(docs, ''), map: null } : null,
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
  },
  resolve: {
    // What stands in for a hook that old versions of React do not have.
    alias: [
      { find: /^use-sync-external-store\/shim$/, replacement: 'react' },
      {
        find: 'use-sync-external-store/shim/with-selector',
        replacement: 'use-sync-external-store/with-selector',
      },
    ],
  },
  test: {
    // Vitest leaves one core free, which on two halves the speed. Browsers and databases are waited for, so four share them well.
    maxWorkers: 4,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // What is waited for comes at once, and later where a machine has much else to do.
    expect: { poll: { timeout: 30_000 } },
    // No file of tests changes what others import, so they share it: that takes a fifth of their time.
    isolate: false,
    // Few, since each loads what its tests need anew.
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
          globalSetup: 'tests/server/postgres.ts',
        },
      },
    ],
  },
});
