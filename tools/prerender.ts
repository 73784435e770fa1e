import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { vanillaExtractPlugin } from '@vanilla-extract/vite-plugin';
import react from '@vitejs/plugin-react';
import { build, type InlineConfig, type Plugin } from 'vite';
import { buildTarget } from './build-target.ts';

type Options = { root: string; mode: string };

const marker = '<!--prerender-->';

/**
 * Inlines the prerendered screens of `src/boot/render-templates.tsx`, the script of `inline-script.ts`
 * and the styles into index.html, so that a screen is shown before any chunk has loaded. Also
 * writes 404.html, which the server and many static hosts send for an unknown address.
 */
export function prerender(): Plugin {
  let root = '';
  let mode = '';
  /** Written beside index.html, by name. */
  const otherFiles: Record<string, string> = {};
  return {
    name: 'prerender',
    apply: 'build',
    configResolved: (config) => {
      ({ root, mode } = config);
    },
    transformIndexHtml: {
      order: 'post',
      async handler(html, { bundle = {} }) {
        if (!html.includes(marker)) return html;
        const files = Object.values(bundle);
        const lazyChunk = files.find(
          (file) => file.type === 'chunk' && file.name === 'lazy-chunk',
        )?.fileName;
        // The inline script loads it, so that it can choose its address.
        const mainScript = /<script type="module" crossorigin src="([^"]*)"><\/script>/;
        const [, mainChunk = ''] = mainScript.exec(html) ?? [];
        const script = await buildInlineScript(
          { root, mode },
          { MAIN_CHUNK: basename(mainChunk), LAZY_CHUNK: basename(lazyChunk ?? '') },
        );
        const { renderNotFound, renderTemplates } = await buildRender({ root, mode });
        const templates = await renderTemplates();
        // Functions, because `$` in a text would be replaced.
        let page = html
          .replace(mainScript, '<link rel="modulepreload" crossorigin href="$1">')
          .replace(marker, () => templates)
          .replace('</body>', () => `  <script>${script}</script>\n  </body>`);
        for (const file of files) {
          if (file.type !== 'asset' || !file.fileName.endsWith('.css')) continue;
          const link = new RegExp(`<link[^>]*${file.fileName}[^>]*>`);
          page = page.replace(link, () => `<style>${String(file.source).trim()}</style>`);
          delete bundle[file.fileName];
        }
        otherFiles['404.html'] = withoutScripts(page, renderNotFound());
        return page;
      },
    },
    generateBundle: {
      order: 'post',
      handler() {
        for (const [fileName, source] of Object.entries(otherFiles)) {
          this.emitFile({ type: 'asset', fileName, source });
        }
      },
    },
  };
}

/** Returns a page with the head of another page, its scripts removed, and this content. */
function withoutScripts(page: string, content: string): string {
  const [head = ''] = /^.*<\/head>/s.exec(page) ?? [];
  return `${head
    .replaceAll(/\s*<script.*?<\/script>/gs, '')
    .replace(/<title>.*<\/title>/, '<title>Page not found · Tracker App</title>')}
  <body>
    <div id="root">${content}</div>
  </body>
</html>
`;
}

/** Returns `inline-script.ts` as one line of code. */
async function buildInlineScript(options: Options, names: Record<string, string>): Promise<string> {
  const code = await buildInMemory({
    ...options,
    define: Object.fromEntries(
      Object.entries(names).map(([name, value]) => [name, JSON.stringify(value)]),
    ),
    build: {
      target: buildTarget,
      modulePreload: false,
      rolldownOptions: {
        input: 'src/boot/inline-script.ts',
        output: { format: 'iife' },
        // Otherwise the fields of all schemas stay: 159 bytes (brotli) before the first paint.
        treeshake: { propertyReadSideEffects: false },
      },
    },
  });
  return code.trim();
}

/** Builds `src/boot/render-templates.tsx` for Node and imports it. */
async function buildRender({
  root,
  mode,
}: Options): Promise<typeof import('../src/boot/render-templates.tsx')> {
  const code = await buildInMemory({
    root,
    mode,
    plugins: [react(), vanillaExtractPlugin()],
    build: {
      ssr: 'src/boot/render-templates.tsx',
      rolldownOptions: { output: { codeSplitting: false } },
    },
  });
  // A new name for each build, because Node caches modules by URL.
  const file = join(root, `node_modules/.cache/prerender-${randomUUID()}.js`);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, code);
  try {
    return (await import(
      pathToFileURL(file).href
    )) as typeof import('../src/boot/render-templates.tsx');
  } finally {
    await rm(file);
  }
}

/** Returns the code of the first chunk that a build with this configuration emits. */
async function buildInMemory(config: InlineConfig): Promise<string> {
  const result = await build({
    ...config,
    configFile: false,
    logLevel: 'error',
    build: { ...config.build, write: false },
  });
  if (!('output' in result)) throw new Error('Expected one Vite build.');
  return result.output[0].code;
}
