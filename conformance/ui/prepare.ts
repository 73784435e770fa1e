import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../../shared/usage-error.ts';
import { tarball } from '../command/options.ts';

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Finds the built app and a browser. Builds the app first, if this is a clone of the project
 * without `dist/`. Throws what is missing, with instructions.
 */
export async function prepareUi(screenshotFolder: string) {
  const appFolder =
    [pathOf('../app'), pathOf('../../dist')].find((path) => existsSync(`${path}/index.html`)) ??
    (await buildApp());
  try {
    const { findChromium } = await import('./chromium.ts');
    await findChromium();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new UsageError(
      message.includes("'playwright-core'")
        ? '--ui needs the package playwright-core. Run it in a clone of the project, or with\n' +
            `  npx --package=./${tarball} --package=playwright-core tracker-conformance ADDRESS --ui`
        : `--ui needs a browser. ${message}`,
    );
  }
  return { appFolder, screenshotFolder };
}

async function buildApp(): Promise<string> {
  if (!existsSync(pathOf('../../vite.config.ts')))
    throw new UsageError('--ui needs the built app: run "npm run build" first.');
  const { build } = await import('vite');
  await build({ root: pathOf('../..'), logLevel: 'warn' });
  return pathOf('../../dist');
}
