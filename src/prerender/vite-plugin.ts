import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { vanillaExtractPlugin } from '@vanilla-extract/vite-plugin';
import react from '@vitejs/plugin-react';
import { build, type Plugin } from 'vite';

/**
 * Puts the app's first view into index.html, so that it is seen before a script has come: its styles, its screens as src/prerender/render.tsx
 * draws them, and the script of src/prerender/inline-script.ts.
 */
export function prerender(): Plugin {
  let root = '';
  return {
    name: 'shell',
    apply: 'build',
    configResolved: (config) => {
      root = config.root;
    },
    transformIndexHtml: {
      order: 'post',
      async handler(html, { bundle = {} }) {
        if (!html.includes('<!--shell-->')) return html;
        const files = Object.values(bundle);
        const work = files.find((file) => file.type === 'chunk' && file.name === 'lazy-chunk');
        let page = html
          .replace('<!--shell-->', await drawn(root))
          .replace(
            '</body>',
            `  <script>${await early(root, work?.fileName ?? '')}</script>\n  </body>`,
          );
        for (const file of files) {
          if (file.type !== 'asset' || !file.fileName.endsWith('.css')) continue;
          const link = new RegExp(`<link[^>]*${file.fileName}[^>]*>`);
          page = page.replace(link, () => `<style>${String(file.source).trim()}</style>`);
          delete bundle[file.fileName];
        }
        return page;
      },
    },
  };
}

/** src/prerender/inline-script.ts as one line. `work` is the file of that script. */
async function early(root: string, work: string): Promise<string> {
  const built = await build({
    configFile: false,
    root,
    logLevel: 'error',
    define: { WORK: JSON.stringify(`./${work}`) },
    build: {
      write: false,
      modulePreload: false,
      rolldownOptions: { input: 'src/prerender/inline-script.ts', output: { format: 'iife' } },
    },
  });
  if (!('output' in built)) throw new Error('Vite gave something else than one build.');
  return built.output[0].code.trim();
}

/** Builds src/prerender/render.tsx for Node, and lets it draw. */
async function drawn(root: string): Promise<string> {
  const built = await build({
    configFile: false,
    root,
    logLevel: 'error',
    plugins: [react(), vanillaExtractPlugin()],
    build: { ssr: 'src/prerender/render.tsx', write: false },
  });
  if (!('output' in built)) throw new Error('Vite gave something else than one build.');
  const scripts = built.output.filter((file) => file.type === 'chunk');
  const entry = scripts.find(({ isEntry }) => isEntry)?.fileName ?? '';
  const cache = join(root, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
  // Node keeps what it has imported under its address, so the next build must have another one.
  const folder = await mkdtemp(join(cache, 'shell-'));
  try {
    await Promise.all(
      scripts.map(async ({ fileName, code }) => {
        const path = join(folder, fileName);
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, code);
      }),
    );
    const module = (await import(pathToFileURL(join(folder, entry)).href)) as {
      renderTemplates: () => Promise<string>;
    };
    return await module.renderTemplates();
  } finally {
    await rm(folder, { recursive: true });
  }
}
