import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { vanillaExtractPlugin } from '@vanilla-extract/vite-plugin';
import react from '@vitejs/plugin-react';
import { build, type Plugin } from 'vite';

/**
 * Puts the app's first view into index.html, so that it is seen before a script has come: its styles, its screens as src/shell.tsx
 * draws them, and a script that asks for the other scripts at once.
 */
export function shell(): Plugin {
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
        const work = files.find((file) => file.type === 'chunk' && file.name === 'work');
        let page = html
          .replace('<!--shell-->', await drawn(root))
          .replace('</body>', `  <script>${early(work?.fileName ?? '')}</script>\n  </body>`);
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

/**
 * The one script in the page itself. It shows the screen that the address names while the app is on its way, and asks for `work`
 * where that screen needs it, instead of the script that is on its way doing so later. The page counts as loaded when both are there.
 * Whoever follows a link, which is then gone, is on the heading of the other screen, as in the app.
 */
function early(work: string): string {
  return `
    const show = (event) => {
      const [, path = '/'] = location.hash.split(/[#?]/);
      const view = document.getElementById(path);
      if (!(view instanceof HTMLTemplateElement)) return;
      document.getElementById('root').replaceChildren(view.content.cloneNode(true));
      if (event) document.querySelector('h1').focus();
      for (const place of document.querySelectorAll('[data-year]')) place.textContent = place.textContent.replace('YEAR', new Date().getFullYear());
      if (!('work' in view.dataset)) return;
      const script = document.createElement('script');
      document.head.append(Object.assign(script, { type: 'module', crossOrigin: '', src: './${work}' }));
    };
    show();
    addEventListener('hashchange', show);
  `.replaceAll(/\s+/g, ' ');
}

/** Builds src/shell.tsx for Node, and lets it draw. */
async function drawn(root: string): Promise<string> {
  const folder = join(root, 'node_modules/.cache/shell');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const built = await build({
    configFile: false,
    root,
    logLevel: 'error',
    plugins: [react(), vanillaExtractPlugin()],
    build: { ssr: 'src/shell.tsx', write: false },
  });
  if (!('output' in built)) throw new Error('Vite gave something else than one build.');
  const scripts = built.output.filter((file) => file.type === 'chunk');
  await Promise.all(
    scripts.map(async ({ fileName, code }) => {
      const path = join(folder, fileName);
      await mkdir(join(path, '..'), { recursive: true });
      await writeFile(path, code);
    }),
  );
  const entry = scripts.find(({ isEntry }) => isEntry)?.fileName ?? '';
  const module = (await import(pathToFileURL(join(folder, entry)).href)) as {
    renderShell: () => Promise<string>;
  };
  return module.renderShell();
}
