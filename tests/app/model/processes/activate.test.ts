import { expect, test } from 'vitest';
import { createPageDriver } from '../../../../model/browser-driver.ts';
import { useBrowser } from '../../../support/browser.ts';

const browser = useBrowser();

const rows = ['First', 'Second'].map(
  (title) =>
    `<li><h3 data-field="title">${title}</h3><button onclick="clicked.push('${title}')">Delete</button>
     <p data-field="description">D</p></li>`,
);

test('the driver of a page activates the control of a row, and one outside of the rows', async () => {
  const { page } = await browser.open();
  await page.setContent(`<script>var clicked = []</script>
    <button onclick="clicked.push('outside')">Sign out</button>
    <main><section><ul>${rows.join('')}</ul></section></main>`);
  const driver = await createPageDriver(page, 'http://app.test', async () => {});
  await driver.activate('Delete', 1);
  await driver.activate('Sign out');
  expect(await page.evaluate('clicked')).toEqual(['Second', 'outside']);
  expect((await driver.observe()).list?.rows).toEqual([
    ['First', 'D'],
    ['Second', 'D'],
  ]);
});
