import { expect, test } from 'vitest';
import { maxUnvirtualizedRows } from '../../../src/ui/block-offsets.ts';
import type { Setting } from '../setting/setting.ts';
import { textNames } from '../../../testing/projects.ts';

export function testPlaceInList({ registerUser, openProjects, lengthenTexts }: Setting) {
  test.each([300, 5_000])(
    'the row at the top of a list of %i stays there when anything around it changes, and when the user comes back [CHOICE-110]',
    async (length) => {
      const isVirtualized = length > maxUnvirtualizedRows;
      const email = await registerUser(length);
      await lengthenTexts(email, 1, '(position * 7) % 40');
      const page = await openProjects(email);
      for (const field of textNames) await page.replaceText(field, 'New');
      const position = Math.round(length * 0.65);
      const isThere = () => page.evaluate(scrollTowards, position);
      // Rows may move once more when they are rendered. Of a resize and a scroll in one frame,
      // browsers tell of the resize first.
      const staysThere = async () => {
        const isFirst = await isThere();
        await page.evaluate(painted);
        return isFirst && isThere();
      };
      await expect.poll(staysThere).toBe(true);
      const waitForList = async () => {
        await expect.poll(() => page.count('section[aria-busy=false]')).toBe(1);
      };
      // Safari has no scroll anchoring. Other browsers suspend it when a padding changes.
      const isAnchored =
        isVirtualized || (await page.evaluate(() => CSS.supports('overflow-anchor', 'auto')));
      const changes: Change[] = [
        ['an address bar is shown', () => page.resize(1000, 644)],
        ['an address bar is hidden', () => page.resize(1000, 700)],
        ...changesOf(isAnchored, [
          ['a narrower window', () => page.resize(700, 700)],
          ['something above the list', () => page.evaluate(insertAbove)],
        ]),
        ...changesOf(isVirtualized, [
          ['a narrow window', () => page.resize(400, 700)],
          ['a rotation', () => page.resize(700, 400)],
          ['the rotation back', () => page.resize(400, 700)],
          ['a larger text', () => page.evaluate(setTextSize, '150%')],
          ['the usual text', () => page.evaluate(setTextSize, '')],
        ]),
        [
          'a created project',
          async () => {
            await page.evaluate(() => document.querySelector('form')!.requestSubmit());
            await page.waitForText('[role=status]', 'The project was created.');
          },
        ],
        [
          'another screen and back',
          async () => {
            await page.evaluate(() => void (location.hash = '#/about'));
            await page.waitForScreen('/about');
            await page.evaluate(() => history.back());
            await page.waitForScreen('/projects');
            await waitForList();
          },
        ],
        [
          'a reload',
          async () => {
            await page.reload();
            await page.waitForApp();
            await waitForList();
          },
        ],
      ];
      const rowsAtTop: string[] = [];
      for (const [change, run] of changes) {
        await run();
        await page.evaluate(painted);
        rowsAtTop.push(`${change}: ${await page.evaluate(rowAtTop)}`);
      }
      expect(rowsAtTop).toEqual(changes.map(([change]) => `${change}: ${position}`));
    },
  );
}

type Change = [name: string, run: () => Promise<unknown>];

const changesOf = (isKept: boolean, changes: Change[]) => (isKept ? changes : []);

const setTextSize = (size: string) => void (document.documentElement.style.fontSize = size);

const insertAbove = () => {
  const element = document.createElement('div');
  element.style.height = '300px';
  document.body.prepend(element);
};

/** Returns the position of the first row that is visible. */
const rowAtTop = () =>
  [...document.querySelectorAll('main li')].find((li) => li.getBoundingClientRect().bottom > 1)
    ?.ariaPosInSet;

/** Scrolls to a row, or towards it as long as it is not rendered. Returns whether it was there. */
function scrollTowards(position: number) {
  const rows = [...document.querySelectorAll('main li')];
  const target = rows.find(({ ariaPosInSet }) => ariaPosInSet === String(position));
  const first = rows.find((element) => element.getBoundingClientRect().bottom > 1)!;
  const box = (target ?? first).getBoundingClientRect();
  const skipped = target ? 0 : position - Number(first.ariaPosInSet);
  const distance = box.top + 1 + skipped * box.height;
  scrollBy({ top: distance, behavior: 'instant' });
  return Math.abs(distance) < 1;
}

/** These run in the page. */
const painted = () =>
  new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
