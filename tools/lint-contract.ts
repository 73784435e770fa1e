/**
 * Checks openapi.yaml against Redocly's recommended rules and two of the project's own: every
 * example matches its schema, and every refusal requires a `message` and has an example.
 */
import { createConfig, lint } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { dereferencedContract, type YamlNode } from './contract.ts';
import { root } from './run.ts';

/** Returns the problems of the contract at this path, one per line. A lint warning counts. */
export async function contractProblems(path = `${root}openapi.yaml`): Promise<string[]> {
  const document = await dereferencedContract(path);
  return [
    ...(await lintProblems(path)),
    ...exampleProblems(document),
    ...refusalProblems(document),
  ];
}

async function lintProblems(path: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lint({ ref: path, config });
  return problems.map(({ ruleId, message, location: [location] }) => {
    const where = location?.pointer ?? (location?.start ? `line ${location.start.line}` : '');
    return `${ruleId}: ${message} (${where})`;
  });
}

/** Redocly checks the examples of media types only, and ignores formats. */
function exampleProblems(document: YamlNode): string[] {
  return nodesOf(document, '#').flatMap(({ node, pointer }) => {
    if (!('schema' in node)) return [];
    const named = Object.entries(asNode(node['examples'])).map(([name, example]) => ({
      location: `${pointer}/examples/${name}`,
      value: asNode(example)['value'],
    }));
    const single =
      'example' in node ? [{ location: `${pointer}/example`, value: node['example'] }] : [];
    return [...named, ...single].flatMap(({ location, value }) =>
      schemaErrors(node['schema'], value).map((error) => `${location}: ${error}`),
    );
  });
}

function refusalProblems({ paths }: YamlNode): string[] {
  return nodesOf(paths, '#/paths').flatMap(({ node, pointer }) =>
    Object.entries(asNode(node['responses'])).flatMap(([status, response]) => {
      if (!/^[45]/.test(status)) return [];
      const { operationId } = node;
      const operation = typeof operationId === 'string' ? operationId : pointer;
      const name = `${operation}, response ${status}`;
      const { schema, examples } = asNode(asNode(asNode(response)['content'])['application/json']);
      if (!schema) return [`${name}: has no schema of a JSON body`];
      const accepts = (body: unknown) => schemaErrors(schema, body).length === 0;
      return [
        ...(accepts({ message: 'Reason.' }) ? [] : [`${name}: rejects a message`]),
        ...(accepts({}) ? [`${name}: does not require a message`] : []),
        ...(accepts({ message: '' }) ? [`${name}: allows an empty message`] : []),
        ...(Object.keys(asNode(examples)).length > 0 ? [] : [`${name}: has no named example`]),
      ];
    }),
  );
}

const ajv = new Ajv2020({ allErrors: true, strict: false });
ajvFormats.default(ajv);

function schemaErrors(schema: unknown, value: unknown): string[] {
  const validate = ajv.compile(asNode(schema));
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) =>
    `${instancePath} ${message}`.trim(),
  );
}

/** Returns every object below a value with its JSON pointer. Shared objects are returned once. */
function nodesOf(
  value: unknown,
  pointer: string,
  visited = new Set<unknown>(),
): { node: YamlNode; pointer: string }[] {
  if (!isNode(value) || visited.has(value)) return [];
  visited.add(value);
  const children = Object.entries(value).flatMap(([key, child]) => {
    const escapedKey = key.replaceAll('~', '~0').replaceAll('/', '~1');
    return nodesOf(child, `${pointer}/${escapedKey}`, visited);
  });
  return [{ node: value, pointer }, ...children];
}

function asNode(value: unknown): YamlNode {
  return isNode(value) ? value : {};
}

function isNode(value: unknown): value is YamlNode {
  return typeof value === 'object' && value !== null;
}
