import { expect, test } from 'vitest';
import { fieldSelector } from '../setting/app-page.ts';
import type { Setting } from '../setting/setting.ts';

export function testUndoHistory({ openPrerendered }: Setting) {
  test('the app keeps the undo history of a prerendered field', async () => {
    const { page, takeOver } = await openPrerendered('/projects');
    await page.click(fieldSelector('title'));
    await page.type('Website');
    await takeOver();
    expect(await page.value('title')).toBe('Website');
    await page.undo();
    // Engines undo a letter, a word or all that was typed.
    await expect.poll(() => page.value('title')).not.toBe('Website');
    expect('Website').toContain(await page.value('title'));
    expect(await page.focused()).toBe('title');
  });
}
