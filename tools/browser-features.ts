/** Finds the browser features that the app uses. Their names are paths in MDN's data. */
import { SourceMap } from 'node:module';
import data from '@mdn/browser-compat-data' with { type: 'json' };
import type { Identifier, SupportBlock } from '@mdn/browser-compat-data';
import * as css from 'css-tree';
import ts from 'typescript';
import { parseSync, type Rolldown } from 'vite';

/** The use of a feature: of one of these names, where the code does not tell of which. */
export type Use = { names: string[]; file: string };

type Add = (...names: string[]) => void;

const scopes = ['api', 'javascript/builtins'];
const supportByName = new Map<string, SupportBlock>();
/** The names of members of interfaces, by the last part of the name. */
const members = new Map<string, string[]>();
for (const area of ['api', 'css', 'html', 'javascript'] as const) indexFeatures(data[area], area);

function indexFeatures(parent: Identifier, parentName: string) {
  for (const [key, value] of Object.entries(parent)) {
    if (key === '__compat') continue;
    const feature = value as Identifier;
    const name = `${parentName}/${key}`;
    const { __compat: details } = feature;
    if (details) supportByName.set(name, details.support);
    if (/^(api|javascript\/builtins)\/\w+$/.test(parentName)) {
      const member = key.replace(/_static$/, '');
      members.set(member, [...(members.get(member) ?? []), name]);
    }
    indexFeatures(feature, name);
  }
}

/** Returns the versions that have a feature. */
export const supportOf = (name: string): SupportBlock | undefined => supportByName.get(name);

const known = (names: string[] = []) => names.filter((name) => supportByName.has(name));
const globals = (name: string) =>
  known([...scopes, 'api/Window'].map((scope) => `${scope}/${name}`));
const membersOf = (owner: string, name: string) =>
  known(scopes.flatMap((scope) => ['_static', ''].map((end) => `${scope}/${owner}/${name}${end}`)));

const isNotEmpty = ({ length }: string[]) => length > 0;

/** Collects the uses of known features. */
function collector(uses: Use[], file: () => string): Add {
  return (...names) => {
    const found = known(names);
    if (found.length > 0) uses.push({ names: found, file: file() });
  };
}

/**
 * Finds what sources use, with the types of the TypeScript compiler: globals, members of platform
 * objects, options of their methods, events, and attributes in JSX.
 */
export function sourceUses(program: ts.Program, isOwn: (path: string) => boolean): Use[] {
  const checker = program.getTypeChecker();
  const uses: Use[] = [];
  /** Returns the features that a symbol of TypeScript's own libraries may be. */
  const featuresOf = (symbol: ts.Symbol | undefined): string[] => {
    const parent = symbol?.declarations?.find((declaration) =>
      program.isSourceFileDefaultLibrary(declaration.getSourceFile()),
    )?.parent;
    if (!symbol || !parent) return [];
    if (ts.isSourceFile(parent) || ts.isVariableDeclarationList(parent))
      return globals(symbol.name);
    const owner = ts.isInterfaceDeclaration(parent) ? parent : parent.parent;
    const ownerName = (owner as ts.DeclarationStatement).name?.text ?? '';
    const exact = membersOf(ownerName.replace(/^Readonly|Constructor$|Object$/g, ''), symbol.name);
    // The data lists the members of mixins at the interfaces that include them.
    return [exact, globals(symbol.name), known(members.get(symbol.name))].find(isNotEmpty) ?? [];
  };
  const visitCall = ({ expression, arguments: values }: ts.CallExpression, add: Add) => {
    const callee = ts.isPropertyAccessExpression(expression) ? expression.name : expression;
    const names = featuresOf(checker.getSymbolAtLocation(callee));
    const options = names.flatMap((name) =>
      [...supportByName.keys()].filter((option) => option.startsWith(`${name}/`)),
    );
    for (const value of values) {
      if (ts.isStringLiteral(value) && callee.getText() === 'addEventListener') {
        add(...(members.get(`${value.text}_event`) ?? []));
      }
      if (!ts.isObjectLiteralExpression(value)) continue;
      for (const key of value.properties.map(({ name }) => name?.getText())) {
        add(...options.filter((name) => new RegExp(`(/|_)${key}(_parameter)?$`).test(name)));
      }
    }
  };
  for (const file of program.getSourceFiles().filter(({ fileName }) => isOwn(fileName))) {
    const add = collector(uses, () => file.fileName);
    const visit = (node: ts.Node): void => {
      if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node)) return;
      if (ts.isIdentifier(node)) add(...featuresOf(checker.getSymbolAtLocation(node)));
      else if (ts.isObjectBindingPattern(node)) {
        const type = checker.getTypeAtLocation(node);
        for (const { propertyName, name } of node.elements) {
          add(...featuresOf(type.getProperty((propertyName ?? name).getText())));
        }
      } else if (ts.isCallExpression(node)) visitCall(node, add);
      else if (ts.isJsxAttribute(node)) {
        const tag = node.parent.parent.tagName.getText().toLowerCase();
        const text =
          node.initializer && ts.isStringLiteral(node.initializer) && node.initializer.text;
        addAttribute(add, tag, node.name.getText(), text || '');
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  return uses;
}

function addAttribute(add: Add, tag: string, attribute: string, value: string) {
  for (const scope of [`html/elements/${tag}`, 'html/global_attributes']) {
    const name = `${scope}/${attribute.toLowerCase()}`;
    add(name);
    if (value) add(`${name}/${value}`, `${name}/${value}_value`);
  }
}

type Script = Pick<Rolldown.OutputChunk, 'fileName' | 'code' | 'map'>;

/** A node of any type. */
type ScriptNode = {
  type: string;
  start: number;
  name?: string;
  value?: string | number | boolean | null;
  quasis?: { value: { cooked: string } }[];
  computed?: boolean;
  object?: ScriptNode;
  property?: ScriptNode;
  key?: ScriptNode;
  callee?: ScriptNode;
  arguments?: ScriptNode[];
  regex?: { pattern: string; flags: string };
};

/**
 * Finds what a built script uses: globals, their members, regular expressions, and in libraries the
 * methods that only objects of JavaScript have, by name. Which members of the DOM a library uses is
 * unknown, because its own objects have properties of the same names.
 */
export function scriptUses({ fileName, code, map }: Script): Use[] {
  const uses: Use[] = [];
  const sources = map ? new SourceMap(JSON.parse(map.toString())) : undefined;
  const lines = [0, ...Array.from(code.matchAll(/\n/g), ({ index }) => index + 1)];
  const sourceOf = (position: number) => {
    const line = lines.findLastIndex((start) => start <= position);
    const entry = sources?.findEntry(line, position - lines[line]!);
    // The bundler's own code has no source.
    const source = entry && 'originalSource' in entry ? (entry.originalSource as unknown) : '';
    return typeof source === 'string' && source ? source.replace(/^(\.\.\/)+/, '') : fileName;
  };
  const visit = (node: ScriptNode, parent?: ScriptNode) => {
    const add = collector(uses, () => sourceOf(node.start));
    if (node.type === 'MemberExpression' && !node.computed) {
      const [owner = '', name = ''] = [node.object?.name, node.property?.name];
      const methods = members.get(name) ?? [];
      if (/^(window|globalThis|self)$/.test(owner)) add(...globals(name));
      else if (globals(owner).length > 0) add(...membersOf(owner, name));
      else if (methods.every((method) => method.startsWith('javascript/'))) {
        if (methods.length > 0 && sourceOf(node.start).includes('node_modules/')) add(...methods);
      }
    } else if (node.type === 'Identifier' && parent?.property !== node && parent?.key !== node) {
      add(...globals(node.name ?? ''));
    } else if (node.regex) {
      addRegExp(add, node.regex.pattern, node.regex.flags);
    } else if (node.callee?.name === 'RegExp') {
      // Minified strings are templates.
      const [pattern = '', flags = ''] = (node.arguments ?? []).map(({ value, quasis }) =>
        String(quasis?.[0]?.value.cooked ?? value),
      );
      addRegExp(add, pattern, flags);
    }
    for (const value of Object.values(node).flat() as (ScriptNode | null | undefined)[]) {
      if (typeof value?.type === 'string') visit(value, node);
    }
  };
  visit(parseSync(fileName, code).program as object as ScriptNode);
  return uses;
}

function addRegExp(add: Add, pattern: string, flags: string) {
  if (/\(\?<[=!]/.test(pattern)) add('javascript/regular_expressions/lookbehind_assertion');
  if (/\(\?[ims-]+:/.test(pattern)) add('javascript/regular_expressions/modifier');
  if (flags.includes('d')) add('javascript/builtins/RegExp/hasIndices');
  if (flags.includes('v')) add('javascript/builtins/RegExp/unicodeSets');
}

/** Finds what a style sheet uses. */
export function styleUses(text: string, file: string): Use[] {
  const uses: Use[] = [];
  const add = collector(uses, () => file);
  let property = '';
  css.walk(css.parse(text, { parseCustomProperty: true }), (node) => {
    if (node.type === 'Declaration') add((property = `css/properties/${node.property}`));
    else if (node.type === 'Identifier') add(`${property}/${node.name}`);
    else if (node.type === 'Function') add(`${property}/${node.name}`, `css/types/${node.name}`);
    else if (node.type === 'Dimension') add(`css/types/length/${node.unit}`);
    else if (node.type === 'PseudoClassSelector' || node.type === 'PseudoElementSelector')
      add(`css/selectors/${node.name}`);
    else if (node.type === 'NestingSelector') add('css/selectors/nesting');
    else if (node.type === 'Atrule') add(`css/at-rules/${node.name}`);
    else if (node.type === 'Feature') add(`css/at-rules/media/${node.name}`);
    else if (node.type === 'FeatureRange') add('css/at-rules/media/range_syntax');
  });
  return uses;
}

/** Finds what a page uses: elements, attributes, its styles and its scripts. */
export function pageUses(page: string, file: string): Use[] {
  const uses: Use[] = [];
  const add = collector(uses, () => file);
  const elements = page.matchAll(
    /<([a-z][a-z\d]*)((?:"[^"]*"|[^">])*)>((?<=<style>).*?(?=<\/style>)|(?<=<script>).*?(?=<\/script>))?/gs,
  );
  for (const [, tag = '', attributes = '', content = ''] of elements) {
    add(`html/elements/${tag}`);
    for (const [, name = '', value = ''] of attributes.matchAll(/([\w-]+)(?:="([^"]*)")?/g)) {
      addAttribute(add, tag, name, value);
    }
    if (tag === 'style') uses.push(...styleUses(content, file));
    if (tag === 'script') uses.push(...scriptUses({ fileName: file, code: content, map: null }));
  }
  return uses;
}
