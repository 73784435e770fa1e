/**
 * Compares the features that the app uses with the supported browsers. docs/browsers.md describes
 * both. Its table of enhancements lists the features that some of these browsers may lack.
 */
import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import data from '@mdn/browser-compat-data' with { type: 'json' };
import ts from 'typescript';
import type { Rolldown } from 'vite';
import { pageUses, scriptUses, sourceUses, supportOf, type Use } from './browser-features.ts';
import { browserRange } from './browser-range.ts';
import { root } from './run.ts';

type Browser = keyof typeof browserRange;

const browsers = Object.keys(browserRange) as Browser[];
const label = (browser: Browser) => data.browsers[browser].name;

/** Returns what is wrong with docs/browsers.md, and the features that it does not allow. */
export function browserProblems(output: Rolldown.RolldownOutput['output']): string[] {
  const document = readFileSync(join(root, 'docs/browsers.md'), 'utf8');
  const rows = Array.from(document.matchAll(/^\| `([\w/@*.-]+)` +\|/gm), ([, name = '']) => name);
  return [...rangeProblems(document), ...featureProblems(appUses(output), rows)];
}

/** Returns a sentence for each browser that the document lists with another version. */
export const rangeProblems = (document: string): string[] =>
  browsers
    .map((browser) => `| ${label(browser)} | ${browserRange[browser]} |`)
    .filter((row) => !document.includes(`\n${row}`))
    .map((row) => `docs/browsers.md lacks the row "${row}" of tools/browser-range.ts: add it.`);

/**
 * Returns a sentence for each feature that a supported browser lacks, unless it is an enhancement,
 * and for each enhancement that needs no row. A row with "/*" covers the features below it.
 */
export function featureProblems(uses: Use[], enhancements: string[]): string[] {
  const missing = uses.flatMap((use) => {
    const needs = browsers
      .filter((browser) => firstVersion(use, browser) > browserRange[browser])
      .map((browser) =>
        `${label(browser)} ${firstVersion(use, browser)}`.replace('Infinity', '(none)'),
      );
    return needs.length > 0 ? [{ ...use, needs }] : [];
  });
  const covers = (row: string) => (use: Use) =>
    use.names.some((name) =>
      row.endsWith('/*') ? `${name}/`.startsWith(row.slice(0, -1)) : name === row,
    );
  const problems = missing
    .filter((use) => !enhancements.some((row) => covers(row)(use)))
    .map(
      (use) =>
        `${fileOf(use)} uses ${use.names[0]}, which needs ${use.needs.join(', ')}: ` +
        'do without it, raise tools/browser-range.ts, or list it in docs/browsers.md.',
    );
  const unused = enhancements
    .filter((row) => !missing.some(covers(row)))
    .map((row) => `docs/browsers.md lists ${row}, which needs no row: remove it.`);
  return [...new Set([...problems, ...unused])];
}

/** Returns the first version with one of the features, Infinity if none has it. */
function firstVersion({ names }: Use, browser: Browser): number {
  const versions = names
    .flatMap((name) => supportOf(name)?.[browser] ?? [])
    .filter((support) => !support.flags && !support.version_removed)
    .filter((support) => !support.prefix && !support.alternative_name)
    .map((support) => parseFloat(String(support.version_added).replace('≤', '')));
  return Math.min(...versions.filter((version) => !Number.isNaN(version)), Infinity);
}

/** Returns the file of a use: for styles the first in src/ that has each part of the name. */
function fileOf({ names: [name = ''], file }: Use): string {
  const [scope, , ...parts] = name.split('/');
  const words = parts.map((part) => new RegExp(part.replaceAll('-', '-?'), 'i'));
  const sheets = scope === 'css' ? globSync('src/**/*.css.ts', { cwd: root }) : [];
  return (
    sheets.find((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      return words.every((word) => word.test(text));
    }) ?? file
  );
}

/** Returns the uses in the app's own sources, and in a build for what they do not show. */
function appUses(output: Rolldown.RolldownOutput['output']): Use[] {
  const { config } = ts.readConfigFile(join(root, 'src/tsconfig.json'), (path) =>
    ts.sys.readFile(path),
  );
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, join(root, 'src'));
  // Styles and render.tsx run in the build only.
  const isOwn = (path: string) =>
    /^(src|machines)\/(?!.*(\.css\.ts|\/render\.tsx)$)/.test(relative(root, path));
  const own = sourceUses(ts.createProgram(fileNames, options), isOwn);
  return [
    ...own.map((use) => ({ ...use, file: relative(root, use.file) })),
    ...output.flatMap((file) => {
      if (file.type === 'chunk') return scriptUses(file);
      return file.fileName.endsWith('.html') ? pageUses(String(file.source), file.fileName) : [];
    }),
  ];
}
