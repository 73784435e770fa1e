/**
 * Holds openapi.yaml to Redocly's recommended rules, and to two of our own: every example is what its schema says, and every
 * refusal has a `message` for the person at the screen and an example that shows one.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createConfig, lint } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { parse } from 'yaml';

const contract = fileURLToPath(new URL('../openapi.yaml', import.meta.url));
const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** What is wrong with the contract at this path, one line per fault; a linter's warning is a fault. */
export async function contractProblems(path = contract): Promise<string[]> {
  const document: unknown = parse(await readFile(path, 'utf8'));
  return [
    ...(await lintProblems(path)),
    ...exampleProblems(document),
    ...refusalProblems(document),
  ];
}

async function lintProblems(path: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lint({ ref: path, config });
  return problems.map(({ ruleId, message, location: [at] }) => {
    const where = at?.pointer ?? (at?.start ? `line ${at.start.line}` : '');
    return `${ruleId}: ${message} (${where})`;
  });
}

/** Redocly looks at media types only and ignores formats; this looks at parameters and headers too. */
function exampleProblems(document: unknown): string[] {
  const validate = validator(document);
  return [...nodesOf(document, '#')].flatMap(({ node, pointer }) => {
    if (!('schema' in node)) return [];
    const named = Object.entries(record(node['examples'])).map(([name, example]) => ({
      at: `${pointer}/examples/${name}`,
      value: record(resolve(document, example))['value'],
    }));
    const single = 'example' in node ? [{ at: `${pointer}/example`, value: node['example'] }] : [];
    return [...named, ...single].flatMap(({ at, value }) =>
      validate(`${pointer}/schema`, value).map((fault) => `${at}: ${fault}`),
    );
  });
}

function refusalProblems(document: unknown): string[] {
  const validate = validator(document);
  const refuses = (pointer: string, body: unknown) => validate(pointer, body).length > 0;

  return operationsOf(document).flatMap(({ name, operation, pointer }) =>
    Object.entries(record(operation['responses'])).flatMap(([status, reference]) => {
      if (!/^[45]/.test(status)) return [];
      const answer = `${name}, answer ${status}`;
      const content = record(record(resolve(document, reference))['content']);
      const media = record(content['application/json']);
      if (!media['schema']) return [`${answer}: has no schema of a JSON body`];
      const target = record(reference)['$ref'];
      const response = typeof target === 'string' ? target : `${pointer}/responses/${status}`;
      const schema = `${response}/content/application~1json/schema`;
      return [
        ...(refuses(schema, { message: 'Why.' }) ? [`${answer}: refuses a message`] : []),
        ...(refuses(schema, {}) ? [] : [`${answer}: does not require a message`]),
        ...(refuses(schema, { message: '' }) ? [] : [`${answer}: allows an empty message`]),
        ...(Object.keys(record(media['examples'])).length > 0
          ? []
          : [`${answer}: has no named example`]),
      ];
    }),
  );
}

function operationsOf(document: unknown): { name: string; operation: Node; pointer: string }[] {
  return Object.entries(record(record(document)['paths'])).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = record(item)[method];
      if (!operation) return [];
      const id = record(operation)['operationId'];
      return {
        name: typeof id === 'string' ? id : `${method} ${path}`,
        operation: record(operation),
        pointer: `#/paths/${escaped(path)}/${method}`,
      };
    }),
  );
}

/** Checks values against the schema at a pointer of the document; gives the faults in words. */
function validator(document: unknown): (pointer: string, value: unknown) => string[] {
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  ajvFormats.default(ajv);
  ajv.addSchema(record(document), 'contract');
  return (pointer, value) => {
    const check = ajv.compile({ $ref: `contract${encodeURI(pointer)}` });
    return check(value)
      ? []
      : (check.errors ?? []).map(({ instancePath, message }) =>
          `${instancePath} ${message}`.trim(),
        );
  };
}

type Node = { [key: string]: unknown };

function* nodesOf(value: unknown, pointer: string): Generator<{ node: Node; pointer: string }> {
  if (!isNode(value)) return;
  yield { node: value, pointer };
  for (const [key, child] of Object.entries(value)) {
    yield* nodesOf(child, `${pointer}/${escaped(key)}`);
  }
}

/** What a `$ref` into this same document points to; anything else as it is. */
function resolve(document: unknown, value: unknown): unknown {
  const target = record(value)['$ref'];
  if (typeof target !== 'string') return value;
  const keys = target.split('/').slice(1);
  const found = keys.reduce<unknown>(
    (node, key) => record(node)[key.replaceAll('~1', '/').replaceAll('~0', '~')],
    document,
  );
  return resolve(document, found);
}

function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The value when it has keys, otherwise something without any. */
function record(value: unknown): Node {
  return isNode(value) ? value : {};
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}
