/** Reads openapi.yaml. `npm run check` also applies the rules of `.spectral.yaml`. */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import {
  bundle,
  createConfig,
  getLineColLocation,
  lint,
  makeDocumentFromString,
  unescapePointer,
  YamlParseError,
} from '@redocly/openapi-core';
import type { ContractDocument, Schema } from '../shared/contract.ts';
import { UsageError } from '../shared/usage-error.ts';
import { contractPath } from './contract-source.ts';
import { root } from './run.ts';

type YamlNode = { [key: string]: unknown };

/** The parts of openapi.yaml that are read, with every `$ref` replaced. */
export type DereferencedContract = ContractDocument & {
  info: { title: string; version: string; summary: string; description: string };
  servers: [{ url: string }];
  components: {
    schemas: Record<string, Schema>;
    securitySchemes: Record<string, { name: string; description: string }>;
  };
};

/** If one of these is broken, the generated files would be wrong. */
const rules = {
  struct: 'error',
  'no-unresolved-refs': 'error',
  'operation-operationId': 'error',
  'operation-operationId-unique': 'error',
} as const;

/**
 * Returns openapi.yaml, or the contract at this path, with every `$ref` replaced by its target.
 * Throws a `UsageError` with the first mistake, its line and its column.
 */
export async function dereferencedContract(path = contractPath): Promise<DereferencedContract> {
  const name = relative(root, path);
  try {
    const config = await createConfig({ rules });
    const [problem] = await lint({ ref: path, config });
    if (problem) {
      const { source, start } = getLineColLocation(problem.location[0]!);
      const [, target] = /\$ref: '(.+)'/.exec(source.getLines()[start.line - 1] ?? '') ?? [];
      const sentence =
        target && problem.ruleId === 'no-unresolved-refs'
          ? `$ref points to ${target}, which does not exist.`
          : problem.message;
      throw new UsageError(`${name}:${start.line}:${start.col}: ${sentence}`);
    }
    const result = await bundle({ ref: path, config, dereference: true });
    const contract: DereferencedContract = result.bundle.parsed;
    JSON.stringify(contract); // throws if a `$ref` leads back to itself
    return contract;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { message } = error as Error;
    if (error instanceof YamlParseError) {
      const { line, col } = error;
      throw new UsageError(`${name}:${line || 1}:${col || 1}: ${message.replace(/ in ".*$/, '')}.`);
    }
    if (!/circular/.test(message)) throw new UsageError(`${name}: ${message}`, { cause: error });
    throw new UsageError(`${name}:${positionOfCycle(path)}: a $ref must not lead back to itself.`);
  }
}

/**
 * Returns openapi.yaml in OpenAPI 3.0, for tools that know no other version. It has no values of
 * several types: ids are texts there.
 */
export async function contractInOpenApi30(): Promise<YamlNode> {
  const config = await createConfig({ rules });
  const { parsed } = (await bundle({ ref: contractPath, config })).bundle;
  const { summary: _, ...info } = parsed.info as YamlNode;
  return toOpenApi30({ ...parsed, openapi: '3.0.3', info });
}

/** Replaces each list of types by one of them, and the type "null" by `nullable`. */
export function toOpenApi30(document: YamlNode): YamlNode {
  return JSON.parse(JSON.stringify(document), (_key, value: YamlNode | null) => {
    if (!Array.isArray(value?.type)) return value;
    const types = value.type.filter((type) => type !== 'null');
    const nullable = types.length < value.type.length && { nullable: true };
    return { ...value, type: types.find((type) => type === 'string') ?? types[0], ...nullable };
  }) as YamlNode;
}

/** Returns line and column of the first `$ref` that leads back to itself, like `7:3`. */
function positionOfCycle(path: string): string {
  const { source, parsed } = makeDocumentFromString(readFileSync(path, 'utf8'), path);
  const pointer = findCycle(parsed, '#/paths') ?? '#/';
  const { start } = getLineColLocation({ source, pointer });
  return `${start.line}:${start.col}`;
}

/** Returns the pointer of the first `$ref` whose target contains it. */
function findCycle(document: unknown, pointer: string, parents: string[] = []): string | undefined {
  const keys = pointer.split('/').slice(1).map(unescapePointer);
  const node = keys.reduce((parent, key) => (parent as YamlNode)[key], document);
  if (typeof node !== 'object' || node === null) return undefined;
  if ('$ref' in node && typeof node.$ref === 'string') {
    if (parents.includes(node.$ref)) return pointer;
    return findCycle(document, node.$ref, [...parents, node.$ref]);
  }
  return Object.keys(node)
    .map((key) => key.replaceAll('~', '~0').replaceAll('/', '~1'))
    .map((key) => findCycle(document, `${pointer}/${key}`, parents))
    .find(Boolean);
}
