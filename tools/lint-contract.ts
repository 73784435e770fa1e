/**
 * Checks openapi.yaml against the rules of this project: every example matches its schema, and each
 * refusal requires a `message` and has an example. tools/spectral.ts checks the general rules.
 */
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { refusalNames } from '../server/refusal.ts';
import {
  asNode,
  dereferencedContract,
  escapeKey,
  positionOf,
  readContract,
  sourcePointer,
  type YamlNode,
} from './contract.ts';
import { contractPath } from './contract-source.ts';

/** `pointer` is a place in the dereferenced contract. */
type Problem = { pointer: string; message: string };

/**
 * Returns the problems of the contract at this path, one per line. Throws a `UsageError` if
 * the contract cannot be read.
 */
export async function contractProblems(path = contractPath): Promise<string[]> {
  const dereferenced = await dereferencedContract(path);
  const document = await readContract(path);
  const schemaProblems = textRuleProblems(dereferenced);
  const ownProblems = [
    ...mediaTypeProblems(dereferenced),
    ...schemaProblems,
    // Ajv cannot compile a schema that has a problem.
    ...(schemaProblems.length > 0 ? [] : exampleProblems(dereferenced)),
    ...(schemaProblems.length > 0 ? [] : refusalProblems(dereferenced)),
  ];
  return [
    ...ownProblems.map(
      ({ pointer, message }) =>
        `${positionOf(document, sourcePointer(document, pointer))}: ${message}`,
    ),
    ...missingRefusals(dereferenced),
  ];
}

/** The app, the server and the conformance kit read the schemas of JSON bodies only. */
function mediaTypeProblems(document: YamlNode): Problem[] {
  return nodesOf(document['paths'], '#/paths').flatMap(({ node, pointer }) =>
    Object.keys(asNode(node['content']))
      .filter((type) => type !== 'application/json')
      .map((type) => ({
        pointer: `${pointer}/content/${escapeKey(type)}`,
        message: `bodies must be application/json, and this one is ${type}.`,
      })),
  );
}

/** Redocly accepts every `pattern` and `format`, with which the server would not start. */
function textRuleProblems(document: YamlNode): Problem[] {
  return nodesOf(document, '#').flatMap(({ node: { pattern, format }, pointer }) => [
    ...(typeof pattern === 'string' && !isRegularExpression(pattern)
      ? [{ pointer: `${pointer}/pattern`, message: 'the pattern is not a regular expression.' }]
      : []),
    ...(typeof format === 'string' && !Object.hasOwn(ajv.formats, format)
      ? [{ pointer: `${pointer}/format`, message: `the format ${format} does not exist.` }]
      : []),
  ]);
}

function isRegularExpression(pattern: string): boolean {
  try {
    return Boolean(new RegExp(pattern, 'u'));
  } catch {
    return false;
  }
}

/** Redocly would check the examples of media types only, and ignore formats. */
function exampleProblems(document: YamlNode): Problem[] {
  return nodesOf(document, '#').flatMap(({ node, pointer }) => {
    if (!('schema' in node)) return [];
    const named = Object.entries(asNode(node['examples'])).map(([name, example]) => ({
      valuePointer: `${pointer}/examples/${name}/value`,
      value: asNode(example)['value'],
    }));
    const single =
      'example' in node ? [{ valuePointer: `${pointer}/example`, value: node['example'] }] : [];
    return [...named, ...single].flatMap(({ valuePointer, value }) =>
      schemaErrors(node['schema'], value).map(({ instancePath, message }) => ({
        pointer: valuePointer + instancePath,
        message: `the example does not match its schema: it ${message}.`,
      })),
    );
  });
}

function refusalProblems({ paths }: YamlNode): Problem[] {
  return nodesOf(paths, '#/paths').flatMap(({ node, pointer }) =>
    Object.entries(asNode(node['responses'])).flatMap(([status, response]) => {
      if (!/^[45]/.test(status)) return [];
      const { schema, examples } = asNode(asNode(asNode(response)['content'])['application/json']);
      const accepts = (body: unknown) => schemaErrors(schema, body).length === 0;
      return [
        ...(!schema ? ['has no schema of a JSON body'] : []),
        ...(schema && !accepts({ message: 'Reason.' }) ? ['rejects a message'] : []),
        ...(schema && accepts({}) ? ['does not require a message'] : []),
        ...(schema && accepts({ message: '' }) ? ['allows an empty message'] : []),
        ...(schema && Object.keys(asNode(examples)).length === 0 ? ['has no named example'] : []),
      ].map((problem) => ({
        pointer: `${pointer}/responses/${status}`,
        message: `the response ${status} of ${String(node['operationId'])} ${problem}.`,
      }));
    }),
  );
}

/** The server responds with the examples that server/refusal.ts lists. */
function missingRefusals({ paths }: YamlNode): string[] {
  const names = nodesOf(paths, '#/paths').flatMap(({ node }) =>
    Object.keys(asNode(node['examples'])),
  );
  return refusalNames
    .filter((name) => !names.includes(name))
    .map((name) => `openapi.yaml has no example named ${name}, which server/refusal.ts lists.`);
}

const ajv = new Ajv2020({ allErrors: true, strict: false });
ajvFormats.default(ajv);

function schemaErrors(schema: unknown, value: unknown): ErrorObject[] {
  const validate = ajv.compile(asNode(schema));
  return validate(value) ? [] : (validate.errors ?? []);
}

/** Returns every object below a value with its JSON pointer. Shared objects are returned once. */
function nodesOf(
  value: unknown,
  pointer: string,
  visited = new Set<unknown>(),
): { node: YamlNode; pointer: string }[] {
  if (typeof value !== 'object' || value === null || visited.has(value)) return [];
  visited.add(value);
  const children = Object.entries(value).flatMap(([key, child]) =>
    nodesOf(child, `${pointer}/${escapeKey(key)}`, visited),
  );
  return [{ node: asNode(value), pointer }, ...children];
}
