import { expect, test } from 'vitest';
import { routes } from '../../../shared/routes.ts';
import type { Setting } from '../setting/setting.ts';

export function testNarrowWindow({ open }: Setting) {
  test.each([
    ['a classic', 'dark', true],
    ['an overlay', 'light', false],
  ] as const)(
    'at 320 px with %s scroll bar nothing scrolls sideways, and the header has two rows',
    async (_, look, takesRoom) => {
      // So low that every screen scrolls.
      const { page, server } = await open({ width: 320, height: 200, look });
      for (const path of routes) {
        await page.openScreen(server.address, path);
        const { width, room, needed, boxes } = await page.evaluate(() => ({
          width: innerWidth,
          room: document.documentElement.clientWidth,
          needed: document.documentElement.scrollWidth,
          boxes: [...document.querySelectorAll('header svg, header a')].map((element) => {
            const { top, bottom } = element.getBoundingClientRect();
            return { top, bottom };
          }),
        }));
        // A row starts with each element that is below all before it.
        const rows = boxes.filter(({ top }, index) =>
          boxes.slice(0, index).every(({ bottom }) => bottom <= top),
        ).length;
        expect({ path, width, takesRoom: room < width, scrolls: needed > room, rows }).toEqual({
          path,
          width: 320,
          takesRoom,
          scrolls: false,
          rows: 2,
        });
      }
    },
  );
}
