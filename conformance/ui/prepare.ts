import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Finds the built app (or builds it, in a clone of the project) and a browser; or says what is missing and how to get it. */
export async function prepareScreens(
  screenshotFolder: string,
): Promise<{ appFolder: string; screenshotFolder: string } | { missing: string }> {
  const appFolder =
    [at('../app'), at('../../dist')].find((folder) => existsSync(`${folder}/index.html`)) ??
    (await built());
  if (appFolder === undefined)
    return { missing: '--ui needs the built app: run "npm run build" first.' };
  try {
    const { findChromium } = await import('./chromium.ts');
    await findChromium();
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    const isPackage = what.includes("'playwright-core'");
    return {
      missing: isPackage
        ? '--ui drives a browser with playwright-core, which is not here: run it in a clone of the project, or as\n  npx --package=./tracker-conformance-0.1.0.tgz --package=playwright-core tracker-conformance ADDRESS --ui'
        : `--ui needs a browser. ${what}`,
    };
  }
  return { appFolder, screenshotFolder };
}

async function built(): Promise<string | undefined> {
  if (!existsSync(at('../../vite.config.ts'))) return undefined;
  const { build } = await import('vite');
  await build({ root: at('../..'), logLevel: 'warn' });
  return at('../../dist');
}
