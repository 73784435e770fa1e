import { expect, test } from 'vitest';
import { wrapTexts } from '../../../testing/translator.ts';
import { fieldSelector } from '../setting/app-page.ts';
import type { Setting } from '../setting/setting.ts';

export function testEarlySubmitOnChangedPage({ openPrerendered, registerUser }: Setting) {
  test.each<[string, () => void]>([
    ['a translator has changed attributes and texts', translate],
    ['an extension has added forms, fields and a root', addElements],
    ['a translator has put an element around each text', wrapTexts],
  ])(
    'what was typed and submitted before the app has loaded is kept and sent once, although %s [CHOICE-62, CHOICE-64, CHOICE-93]',
    async (_, change) => {
      const email = await registerUser();
      const { page, server, takeOver } = await openPrerendered('/login');
      await page.fillCredentials(email.slice(0, -3));
      await page.evaluate(change);
      await page.click(fieldSelector('email'));
      await page.press('End');
      await page.type('org');
      await page.press('Enter');
      await expect.poll(() => page.count('[type=submit][aria-busy=true]')).toBe(1);
      await page.evaluate(change);
      await takeOver();
      // Signed in with what was typed.
      await expect.poll(() => page.hash()).toBe('#/projects');
      expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
    },
  );
}

/** Changes what translators and extensions change, but neither names nor the structure. */
function translate() {
  for (const element of document.querySelectorAll<HTMLElement>('html, body, #root *')) {
    for (const { name, value } of element.attributes) {
      if (/^(aria-(label|describedby|labelledby)|placeholder|title|alt|for|id)$/.test(name))
        element.setAttribute(name, `${value} traduit`);
    }
    Object.assign(element, { lang: 'fr', dir: 'rtl', title: 'Traduit', translate: false });
    element.classList.add('translated-rtl');
    element.style.fontFamily = 'serif';
    if (element instanceof HTMLInputElement) element.autocomplete = 'off';
    for (const node of element.childNodes) {
      if (node instanceof Text) node.data = `${node.data} traduit`;
    }
  }
}

/** Adds a form, a field and an application before the app's own, as password managers do. */
function addElements() {
  const field = document.createElement('input');
  field.name = 'extension';
  const form = document.createElement('form');
  form.append(field.cloneNode());
  document.body.prepend(form);
  const own = document.querySelector('#root form')!;
  const button = document.createElement('button');
  button.type = 'button';
  own.prepend(field, button);
  own.before(form.cloneNode(true));
  document.body.prepend(Object.assign(document.createElement('div'), { id: 'root' }));
}
