import { useState } from 'react';
import { flushSync } from 'react-dom';
import { beforeEach, expect, test, vi } from 'vitest';
import { createAppRoot } from '../../src/boot/app-root.ts';

let isBroken = false;

function Form() {
  const [count, setCount] = useState(0);
  if (isBroken) throw new Error('An extension has removed a node.');
  return (
    <form>
      <input name="title" aria-describedby="error" />
      <button type="button" onClick={() => setCount(count + 1)} />
    </form>
  );
}

const field = () => document.querySelector<HTMLInputElement>('#root input');

/** Rendering fails until the app has logged it. */
async function breakOnce() {
  vi.spyOn(console, 'error').mockImplementationOnce(() => void (isBroken = false));
  isBroken = true;
  flushSync(() => document.querySelector('button')?.click());
  await Promise.resolve();
}

beforeEach(() => {
  document.body.innerHTML = '<div id="root"></div>';
  const root = createAppRoot(document.getElementById('root')!, <Form />);
  flushSync(() => root.render());
  return () => {
    document.body.innerHTML = '';
    location.hash = '';
  };
});

test.each([
  ['the form in view keeps its text', '#/projects', 'Typed'],
  ['the form of another screen has none', '#/about', ''],
])('after a failure, %s [CHOICE-93]', async (_, hash, text) => {
  location.hash = '#/projects';
  const typed = field()!;
  typed.value = 'Typed';
  typed.dispatchEvent(new Event('input', { bubbles: true }));
  location.hash = hash;
  await breakOnce();
  expect(field()).not.toBe(typed);
  expect(field()!.value).toBe(text);
});

test.each([
  ['stays after a second one', 'mousemove', false],
  ['does not stay after a key', 'keydown', true],
  ['does not stay after a click', 'pointerdown', true],
])('a failure %s [CHOICE-93]', async (_, deed, isRendered) => {
  await breakOnce();
  dispatchEvent(new Event(deed));
  await breakOnce();
  expect(field() !== null).toBe(isRendered);
});
