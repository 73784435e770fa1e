import axe from 'axe-core';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { contractPage } from '../../tools/contract-page.ts';
import { useBrowser } from '../support/browser.ts';

const browser = useBrowser();

test.each([
  ['light', 1280],
  ['dark', 320],
] as const)(
  'the contract page is readable offline in the %s theme at %i px, and sends no request',
  async (colorScheme, width) => {
    const folder = await mkdtemp(join(tmpdir(), 'contract-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'contract.html');
    await writeFile(file, await contractPage());
    const viewport = { width, height: 800 };
    const { page, problems } = await browser.open({ colorScheme, viewport, offline: true });
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));

    const { href } = pathToFileURL(file);
    await page.goto(href);
    await page.getByRole('heading', { name: 'Create a project' }).waitFor();
    expect(requests).toEqual([href]);
    expect(problems).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate(() =>
      (window as unknown as { axe: typeof axe }).axe.run(),
    );
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
  },
);
