import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';

test('every exported style is used', () => {
  const sheets = globSync('src/**/*.css.ts');
  expect(sheets).not.toEqual([]);
  const sources = globSync('src/**/*.{ts,tsx}').map((file) => ({
    file,
    text: readFileSync(file, 'utf8'),
  }));
  const unused = sheets.flatMap((sheet) =>
    [...readFileSync(sheet, 'utf8').matchAll(/^export const (\w+)/gm)]
      .map(([, name = '']) => name)
      .filter(
        (name) => !sources.some(({ file, text }) => file !== sheet && uses(text, sheet, name)),
      )
      .map((name) => `${sheet}: ${name}`),
  );
  expect(unused).toEqual([]);
});

/** Returns whether a source imports the sheet and uses the name: as `css.name`, or by itself. */
function uses(text: string, sheet: string, name: string): boolean {
  const imported = new RegExp(`import ([^;]*?) from '[^']*/${basename(sheet)}'`).exec(text)?.[1];
  if (imported === undefined) return false;
  if (imported.startsWith('* as css')) return new RegExp(`\\bcss\\.${name}\\b`).test(text);
  const rest = text.replaceAll(/^import [^;]*;/gm, '');
  return new RegExp(`\\b${name}\\b`).test(imported) && new RegExp(`\\b${name}\\b`).test(rest);
}
