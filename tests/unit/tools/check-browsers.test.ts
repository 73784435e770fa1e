import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { pageUses, scriptUses, sourceUses, styleUses } from '../../../tools/browser-features.ts';
import { featureProblems, rangeProblems } from '../../../tools/check-browsers.ts';

/** Returns what the check says of a source file. */
function checkSource(source: string): string[] {
  const options = { target: ts.ScriptTarget.ESNext, jsx: ts.JsxEmit.Preserve, types: [] };
  const host = ts.createCompilerHost(options);
  const readSource = host.getSourceFile.bind(host);
  host.getSourceFile = (path, language) =>
    path === 'own.tsx'
      ? ts.createSourceFile(path, source, language, true)
      : readSource(path, language);
  const program = ts.createProgram(['own.tsx'], options, host);
  return featureProblems(
    sourceUses(program, (path) => path === 'own.tsx'),
    [],
  );
}

const checkScript = (code: string, fileName = 'node_modules/a.js') =>
  featureProblems(scriptUses({ fileName, code, map: null }), []);
const checkStyle = (text: string) => featureProblems(styleUses(text, 'a.css'), []);
const checkPage = (page: string) => featureProblems(pageUses(page, 'a.html'), []);

const end = ': do without it, raise tools/browser-range.ts, or list it in docs/browsers.md.';

test('a sentence names the file, the feature and the versions that it needs', () => {
  expect(checkScript('Promise.try(f)', 'a.js')).toEqual([
    'a.js uses javascript/builtins/Promise/try, which needs Chrome 128, Chrome Android 128, ' +
      `Edge 128, Firefox 134, Firefox for Android 134, Safari 18.2, Safari on iOS 18.2${end}`,
  ]);
});

test('finds what sources use, and accepts older features and other objects with the same names', () => {
  const { body } = { body: 0 };
  void body;
  const problems = checkSource(`
    export const array = Array.fromAsync([]);
    export const promise = Promise.try(() => 1);
    export const doubled = new Map([[1, 2]]).values().map((value) => value * 2);
    export const set = new Set([1]).union(new Set([2]));
    document.body.togglePopover();
    document.startViewTransition(() => {});
    addEventListener('scrollend', () => {});
    void fetch('/', { priority: 'low' });
    const { groupBy } = Object;
    export const highlight = new Highlight();
    export const element = <div popover="auto" hidden="until-found" title="A" />;
    export type Later = Iterator<number>;

    export const old = [1].toSorted().map((value) => value * 2);
    const own = { try: () => 1, togglePopover: () => 2, popover: 3 };
    own.try();
    own.togglePopover();
    export const { popover } = own;
    document.body.focus({ preventScroll: true });
    document.body.ariaPosInSet = '1';
  `);
  const names = problems.map((problem) => / uses (.*?),/.exec(problem)?.[1]);
  expect(names).toEqual([
    'javascript/builtins/Array/fromAsync',
    'javascript/builtins/Promise/try',
    'javascript/builtins/Iterator/map',
    'javascript/builtins/Set/union',
    'api/HTMLElement/togglePopover',
    'api/Document/startViewTransition',
    'api/Document/scrollend_event',
    'api/fetch/options_parameter/priority',
    'javascript/builtins/Object/groupBy',
    'api/Highlight',
    'html/global_attributes/popover',
    'html/global_attributes/hidden/until-found',
  ]);
});

describe('in built scripts', () => {
  test.each([
    ['Array.fromAsync(a)', 'javascript/builtins/Array/fromAsync'],
    ['window.navigation', 'api/Window/navigation'],
    ['new CloseWatcher()', 'api/CloseWatcher'],
    ['a.isSubsetOf(b)', 'javascript/builtins/Set/isSubsetOf'],
    ['/[a--b]/v', 'javascript/builtins/RegExp/unicodeSets'],
    ['new RegExp("[a--b]", "v")', 'javascript/builtins/RegExp/unicodeSets'],
    ['new RegExp(`[a--b]`, `v`)', 'javascript/builtins/RegExp/unicodeSets'],
    ['/(?i:a)/', 'javascript/regular_expressions/modifier'],
  ])('finds %s', (code, name) => {
    expect(checkScript(code)).toEqual([expect.stringContaining(` uses ${name}, `)]);
  });

  test.each(['a.map(f)', 'a.path', 'a.use', '({ navigation: 1 })', '/a/u', 'a.popover'])(
    'accepts %s',
    (code) => {
      expect(checkScript(code, 'a.js')).toEqual([]);
    },
  );
});

describe('in styles', () => {
  test.each([
    ['p { text-wrap: pretty }', 'css/properties/text-wrap/pretty'],
    ['@starting-style { p { top: 0 } }', 'css/at-rules/starting-style'],
    ['p:open { top: 0 }', 'css/selectors/open'],
    ['p { width: calc-size(auto, size) }', 'css/types/calc-size'],
    [':root { --width: calc-size(auto, size) }', 'css/types/calc-size'],
    ['p { width: 1rcap }', 'css/types/length/rcap'],
    ['@media (scripting: none) { p { top: 0 } }', 'css/at-rules/media/scripting'],
    ['a { & p { top: 0 } }', 'css/selectors/nesting'],
  ])('finds %s', (text, name) => {
    expect(checkStyle(text).join('\n')).toContain(` uses ${name}, `);
  });

  test('accepts older features', () => {
    expect(checkStyle('p:has(a) { top: clamp(1px, 2vw, 3px); text-align: start }')).toEqual([]);
  });
});

test('finds attributes, styles and scripts in pages', () => {
  expect(
    checkPage(
      '<p class="a" popover="auto" title="a>b">x</p><style>p{text-wrap:pretty}</style><script>Promise.try(f)</script>',
    ).map((problem) => / uses (.*?),/.exec(problem)?.[1]),
  ).toEqual([
    'html/global_attributes/popover',
    'css/properties/text-wrap',
    'css/properties/text-wrap/pretty',
    'javascript/builtins/Promise/try',
  ]);
});

test('an enhancement covers the features below it with /*, and a row that no feature needs is refused', () => {
  const uses = styleUses('p { text-wrap: pretty; cursor: pointer }', 'a.css');
  const rows = ['css/properties/text-wrap/*', 'css/properties/cursor/pointer'];
  expect(featureProblems(uses, rows)).toEqual([]);
  expect(featureProblems(uses, ['css/properties/text-wrap', 'css/properties/cursor/*'])).toEqual([
    expect.stringContaining('a.css uses css/properties/text-wrap/pretty, which needs '),
  ]);
  expect(featureProblems(uses, [...rows, 'css/properties/top'])).toEqual([
    'docs/browsers.md lists css/properties/top, which needs no row: remove it.',
  ]);
});

test('each browser has a row with its version', () => {
  const document = readFileSync('docs/browsers.md', 'utf8');
  expect(rangeProblems(document)).toEqual([]);
  expect(rangeProblems(document.replace('| Firefox | 121 |', '| Firefox | 115 |'))).toEqual([
    'docs/browsers.md lacks the row "| Firefox | 121 |" of tools/browser-range.ts: add it.',
  ]);
});
