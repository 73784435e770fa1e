import { expect, test } from 'vitest';
import type { Setting } from '../setting/setting.ts';

/** Submits the form in the ways in which scripts of others keep the app from seeing it. */
function submitUnseen() {
  const form = document.querySelector('form')!;
  for (const field of form.querySelectorAll<HTMLInputElement>('[name]'))
    field.value = field.name === 'email' ? 'secret@example.org' : 'a secret';
  const clone = () => form.cloneNode(true) as HTMLFormElement;
  const add = <Added extends HTMLElement>(added: Added) => document.body.appendChild(added);
  add(clone()).requestSubmit();
  add(clone()).appendChild(document.createElement('button')).click();
  const host = add(document.createElement('div'));
  host.attachShadow({ mode: 'open' }).appendChild(clone()).requestSubmit();
  const other = add(document.createElement('form'));
  other.append(...clone().childNodes);
  other.querySelector('button')!.click();
  const root = document.getElementById('root')!.cloneNode(true) as HTMLElement;
  add(root).querySelector('form')!.requestSubmit();
  addEventListener('submit', (event) => event.stopImmediatePropagation(), true);
  form.requestSubmit();
  try {
    form.submit();
  } catch {
    // Firefox reports that it did nothing.
  }
}

/** Ways in which an extension replaces the form. */
function replaceByClone() {
  const form = document.querySelector('#root form')!;
  form.replaceWith(form.cloneNode(true));
}

function replaceByText() {
  const form = document.querySelector('#root form')!;
  form.outerHTML = `<form><input name="note" /></form>${form.outerHTML}<form></form>`;
}

function replaceAll() {
  const root = document.getElementById('root')!;
  root.replaceChildren(...root.cloneNode(true).childNodes);
}

export function testSubmitWithoutHandler({ openPrerendered, registerUser }: Setting) {
  test.each([
    ['before the form is replaced', replaceByClone],
    ['before the form is replaced', replaceAll],
    ['before the submit', replaceAll],
    ['after the submit', replaceByText],
  ])(
    'a form that an extension has replaced is sent once, if the app loads %s [CHOICE-118]',
    async (moment, replace) => {
      const email = await registerUser();
      const { page, server, takeOver } = await openPrerendered('/login');
      if (moment === 'before the form is replaced') await takeOver();
      await page.evaluate(replace);
      await page.fillCredentials(email);
      if (moment === 'before the submit') await takeOver();
      await page.click('form [type=submit]');
      if (moment === 'after the submit') await takeOver();
      await expect.poll(() => page.hash()).toBe('#/projects');
      expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
    },
  );

  test.each(
    (['before', 'after'] as const).flatMap((moment) =>
      (['/login', '/register', '/projects'] as const).map((path) => [path, moment] as const),
    ),
  )(
    'the browser sends nothing of the form of %s if the app does not see its submit, %s it has loaded [CHOICE-114]',
    async (path, moment) => {
      const { page, server, takeOver } = await openPrerendered(path);
      if (moment === 'after') await takeOver();
      await page.evaluate(submitUnseen);
      if (moment === 'before') await takeOver();
      await page.evaluate(() => void fetch('/?afterwards'));
      const paths = () => server.requests.map((request) => request.path);
      await expect.poll(paths).toContain('/?afterwards');
      const pages = paths().filter((each) => !/^\/(assets|api)/.test(each));
      expect([await page.hash(), ...pages]).toEqual([`#${path}`, '/', '/?afterwards']);
    },
  );
}
