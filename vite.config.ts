import './tools/requirements.cjs';
import { readFileSync } from 'node:fs';
import { vanillaExtractPlugin } from '@vanilla-extract/vite-plugin';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { buildTarget } from './tools/build-target.ts';
import { devBackend } from './tools/dev-backend.ts';
import { precompress } from './tools/precompress.ts';
import { prerender } from './tools/prerender.ts';
import { replaceOutput } from './tools/replace-output.ts';

/**
 * Replaces Vite's preload helper for `import()`, because src/boot/inline-script.ts requests
 * the lazy chunk early. Saves 451 bytes of `/` (brotli), half a percent. `modulePreload: false`
 * saves none of them.
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
 * left.
 */
function stripChartDocs(): Plugin {
  const docs = /\b(description: '[^'\n]+'|meta: \{\s*statements: \[[^\]]*\],?\s*\}),?/g;
  return {
    name: 'strip-chart-docs',
    apply: 'build',
    enforce: 'pre',
    transform(source, id) {
      if (!/\/machines\/\w+\.ts$/.test(id)) return null;
      const code = source.replace(docs, '');
      if (/description: (?!'')|statements: \[/.test(code))
        this.error(`Cannot strip the chart in ${id}.`);
      return { code, map: null };
    },
  };
}

/** Inlines the icon. Chromium requests it again at each navigation: 0.4 ms of its thread. */
function inlineIcon(): Plugin {
  const file = new URL('src/icon.png', import.meta.url);
  return {
    name: 'inline-icon',
    transformIndexHtml: {
      order: 'pre',
      handler: (html) =>
        html.replace(
          './src/icon.png',
          () => `data:image/png;base64,${readFileSync(file, 'base64')}`,
        ),
    },
  };
}

export default defineConfig({
  base: './',
  plugins: [
    plainImports(),
    inlineIcon(),
    stripChartDocs(),
    // In development, edits of components keep the state of the page. These files have a component,
    // but edits of them need a reload, like edits of machines, actors and the client.
    react({ refreshExclude: [/\/node_modules\//, /\/src\/boot\/(main|router)\.tsx$/] }),
    vanillaExtractPlugin(),
    devBackend(process.env['API_URL']),
    prerender(),
    precompress(),
    replaceOutput(),
  ],
  // 4 is `DirSelector`: for older browsers, `:dir()` would become a comparison of languages.
  css: { lightningcss: { exclude: 4 } },
  build: {
    target: buildTarget,
    outDir: 'dist',
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Content blockers match names such as `index-ad-….js`, which a random hash can be.
      output: {
        hashCharacters: 'hex',
        entryFileNames: 'assets/[name]-h[hash].js',
        chunkFileNames: 'assets/[name]-h[hash].js',
      },
      // Prerendering and the best compression are most of the build, so Vite would warn about them.
      checks: { bundlerTimings: false },
    },
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
});
