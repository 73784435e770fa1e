import { relative } from 'node:path';
import {
  BaseResolver,
  bundle,
  createConfig,
  detectSpec,
  getLineColLocation,
  lint,
  ResolveError,
  unescapePointer,
  YamlParseError,
  type Document,
  type LocationObject,
} from '@redocly/openapi-core';
import { UsageError } from '../server/usage-error.ts';
import { contractPath } from './contract-source.ts';
import { root } from './run.ts';

/** A node of a YAML document that has keys. */
export type YamlNode = { [key: string]: unknown };

type Problem = { ruleId: string; message: string; location: LocationObject[] };

/** If one of these is broken, nothing can be generated. `npm run check` applies the other rules. */
const requiredRules = [
  'no-unresolved-refs',
  'struct',
  'operation-operationId',
  'operation-operationId-unique',
  'operation-summary',
  'operation-2xx-response',
];

/**
 * Returns openapi.yaml, or the contract at this path, with every `$ref` replaced by its target.
 * Throws a `UsageError` with the first mistake, its line and its column.
 */
export async function dereferencedContract(path = contractPath): Promise<YamlNode> {
  const document = await readContract(path);
  const badReference = findBadReference(document.parsed, '#');
  if (badReference) {
    throw new UsageError(
      `${positionOf(document, badReference)}: a $ref must be quoted text, like '#/components/schemas/Error'.`,
    );
  }
  const cycle = findCycle(document, asNode(document.parsed)['paths'], '#/paths');
  if (cycle) {
    throw new UsageError(`${positionOf(document, cycle)}: a $ref must not lead back to itself.`);
  }
  const rules = Object.fromEntries(requiredRules.map((rule) => [rule, 'error' as const]));
  const config = await createConfig({ rules });
  const problems: Problem[] = await lint({ ref: path, config });
  const [problem] = requiredRules.flatMap((rule) => problems.filter((p) => p.ruleId === rule));
  if (problem) throw new UsageError(describeProblem(document, problem));
  const { bundle: dereferenced } = await bundle({ ref: path, config, dereference: true });
  return asNode(dereferenced.parsed);
}

/** Reads openapi.yaml, or the contract at this path. Throws a `UsageError` if it is not OpenAPI. */
export async function readContract(path = contractPath): Promise<Document> {
  const name = nameOf(path);
  const document = await new BaseResolver()
    .resolveDocument(null, path, true)
    .catch((error: unknown) => {
      if (error instanceof ResolveError) throw new UsageError(`Cannot read ${name}.`);
      if (!(error instanceof YamlParseError)) throw error;
      const reason = error.message.replace(/ in ".*$/, '');
      // A second document is the only mistake that has no position.
      const line = error.line || error.source.getLines().lastIndexOf('---') + 1;
      throw new UsageError(`${name}:${line}:${error.col || 1}: ${reason}.`);
    });
  try {
    detectSpec((document as Document).parsed);
  } catch {
    throw new UsageError(`${name}:1:1: the contract must start with "openapi: 3.1.0".`);
  }
  if (!('paths' in asNode((document as Document).parsed))) {
    throw new UsageError(`${name}:1:1: the contract must have the key "paths".`);
  }
  return document as Document;
}

/** Describes a problem that Redocly found, in one sentence with line and column. */
export function describeProblem(
  document: Document,
  { ruleId, message, location }: Problem,
): string {
  const [place = { source: document.source, pointer: '#/' }] = location;
  const { $ref } = asNode(nodeAt(document, place.pointer ?? '#/'));
  const sentence =
    ruleId === 'no-unresolved-refs' && typeof $ref === 'string'
      ? `$ref points to ${$ref}, which does not exist.`
      : message;
  return `${lineAndColumn(place)}: ${sentence}`;
}

/** Returns file, line and column of a JSON pointer, like `openapi.yaml:7:3`. */
export function positionOf({ source }: Document, pointer: string): string {
  return lineAndColumn({ source, pointer });
}

function lineAndColumn(location: LocationObject): string {
  const { source, start } = getLineColLocation(location);
  return `${nameOf(source.absoluteRef)}:${start.line}:${start.col}`;
}

/** Returns where the node of a dereferenced contract is in the file. */
export function sourcePointer(document: Document, pointer: string): string {
  return keysOf(pointer).reduce((parent, key) => {
    const { $ref } = asNode(nodeAt(document, parent));
    return `${typeof $ref === 'string' ? $ref : parent}/${key}`;
  }, '#');
}

/** Returns the pointer of the first node whose `$ref` is no text, empty or not decodable. */
function findBadReference(node: unknown, pointer: string): string | undefined {
  for (const [key, child] of Object.entries(asNode(node))) {
    const isObject = typeof child === 'object' && child !== null; // a property with this name
    const isReference = typeof child === 'string' && child !== '' && isDecodable(child);
    if (key === '$ref' && !isObject && !isReference) return pointer;
    const found = findBadReference(child, `${pointer}/${escapeKey(key)}`);
    if (found) return found;
  }
  return undefined;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns the pointer of the first `$ref` whose target contains it. */
function findCycle(
  document: Document,
  node: unknown,
  pointer: string,
  parents: string[] = [],
  visited = new Set<string>(),
): string | undefined {
  const { $ref } = asNode(node);
  if (typeof $ref === 'string') {
    if (parents.includes($ref)) return pointer;
    if (visited.has($ref)) return undefined;
    visited.add($ref);
    return findCycle(document, nodeAt(document, $ref), $ref, [...parents, $ref], visited);
  }
  for (const [key, child] of Object.entries(asNode(node))) {
    const cycle = findCycle(document, child, `${pointer}/${escapeKey(key)}`, parents, visited);
    if (cycle) return cycle;
  }
  return undefined;
}

/** Returns the node at a JSON pointer of the file, or undefined. */
function nodeAt({ parsed }: Document, pointer: string): unknown {
  return keysOf(pointer).reduce((node: unknown, key) => asNode(node)[unescapePointer(key)], parsed);
}

const keysOf = (pointer: string) => pointer.split('/').slice(1).filter(Boolean);

export const escapeKey = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1');

export function asNode(value: unknown): YamlNode {
  return typeof value === 'object' && value !== null ? (value as YamlNode) : {};
}

const nameOf = (path: string) => relative(root, path);
