/** Renders openapi.yaml as a page for the developers of a backend. `npm run generate` writes it. */
import { checks } from '../conformance/checks/all.ts';
import { describeScreen } from '../conformance/problems/describe.ts';
import type { OperationId } from '../generated/operations.ts';
import { dereferencedContract } from './contract.ts';
import { markdownTable } from './diagram.ts';

/** The parts of a dereferenced OpenAPI document that the page shows. */
type Contract = {
  info: { title: string; version: string; summary: string; description: string };
  servers: [{ url: string }];
  security: object[];
  paths: { [path: string]: { [method: string]: Operation } };
  components: { securitySchemes: { [name: string]: { name: string; description: string } } };
};

type Operation = {
  operationId: OperationId;
  summary: string;
  description: string;
  security?: object[];
  parameters?: (Field & { name: string; in: string })[];
  requestBody?: Body;
  responses: { [status: string]: Response };
};

type Response = Body & { description: string; headers?: { [name: string]: Field } };

type Field = { description?: string; required?: boolean; schema: Schema; example?: unknown };
type Body = { content?: { 'application/json': { schema: Schema; examples?: Examples } } };
type Examples = { [name: string]: { summary: string; value: unknown } };

type Schema = {
  type?: string | string[];
  description?: string;
  properties?: { [name: string]: Schema };
  required?: string[];
  items?: Schema;
  [limit: string]: unknown;
};

/** Returns the page for openapi.yaml. */
export async function contractPage(): Promise<string> {
  const contract = (await dereferencedContract()) as unknown as Contract;
  const { info, paths, components, servers } = contract;
  const [forAllCalls = '', ...sections] = info.description.trim().split(/\n+(?=## )/);
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      ...operation,
      path,
      address: `${method.toUpperCase()} ${path}`,
      isPublic: (operation.security ?? contract.security).length === 0,
    })),
  );
  return `${[
    `# ${info.title}: the contract`,
    `${info.summary} Version ${info.version} of \`openapi.yaml\`, from which \`npm run generate\` writes this page.`,
    '## Try it',
    'With `npm start` in another terminal, or with your backend at its address, in this order and without\nthe account. The app sends `Accept`. `Origin` is what a browser adds, and `cookies` its jar.',
    `\`\`\`sh\n${curlLines(servers[0].url, operations).join('\n')}\n\`\`\``,
    'Tools generate clients, validators and mocks from it: `docs/generators.md` lists them. For tools\nthat know only OpenAPI 3.0, it is also in `openapi-3.0.json`, where ids are texts.',
    ...sections,
    '## For all calls',
    forAllCalls,
    Object.values(components.securitySchemes)
      .map(({ name, description }) => `- Cookie \`${name}\`: ${oneLine(description)}`)
      .join('\n'),
    ...operations.flatMap(operationBlocks),
    '## What the conformance kit checks',
    `Without a MUST, the app breaks or shows its users something false. A SHOULD is what the contract
requires beyond that.`,
    markdownTable(
      ['check', 'level', 'what it verifies', 'what it requires'],
      checks
        .toSorted((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }))
        .map(({ id, level, title, requirement }) => [id, level, title, requirement]),
    ),
  ].join('\n\n')}\n`;
}

/** Returns a command for each call of a first visit, with the first example of its body. */
function curlLines(origin: string, operations: ListedOperation[]): string[] {
  const visit: OperationId[] = ['registerUser', 'login', 'createProject', 'listProjects'];
  return visit.map((id) => {
    const { path, requestBody } = operations.find(({ operationId }) => operationId === id)!;
    const [[, example] = []] = examplesOf(requestBody?.content);
    const body = JSON.stringify(example?.value)?.replaceAll("'", String.raw`'\''`);
    return [
      `curl -b cookies -c cookies -H 'Origin: ${origin}' ${origin}${path}`,
      `-H 'Accept: application/json'`,
      ...(body ? [`-H 'Content-Type: application/json'`, `-d '${body}'`] : []),
    ].join(' \\\n  ');
  });
}

type ListedOperation = Operation & { path: string; address: string; isPublic: boolean };

/** Returns the blocks of one operation. */
function operationBlocks(operation: ListedOperation): string[] {
  const { operationId, summary, description, address, isPublic } = operation;
  const { parameters = [], requestBody } = operation;
  const parametersIn = (place: string) => parameters.filter((parameter) => parameter.in === place);
  const responses = Object.entries(operation.responses);
  const successes = responses.filter(([status]) => Number(status) < 400);
  const refusals = responses.filter(([status]) => Number(status) >= 400);
  return [
    `## ${summary}: ${operationId}`,
    `\`${address}\` ${isPublic ? 'Needs no session.' : 'Needs a session.'}`,
    description.trim(),
    ...parameterBlocks('### Path parameters', parametersIn('path')),
    ...parameterBlocks('### Request headers', parametersIn('header')),
    ...(requestBody ? ['### Request body', ...bodyBlocks(requestBody)] : []),
    ...successes.flatMap(([status, response]) => [
      `### ${operationId} ${status}: ${oneLine(response.description)}`,
      ...headerFields(response).map((field) => `- ${field}`),
      ...bodyBlocks(response, operationId),
    ]),
    `### ${operationId}: refusals`,
    markdownTable(
      ['status', 'reason', 'example', 'body', 'the app shows'],
      refusals.flatMap(([status, { description: reason, content }]) =>
        examplesOf(content).map(([name, { summary: example, value }]) => [
          status,
          oneLine(reason),
          `\`${name}\`: ${example}`,
          `\`${asText(value)}\``,
          screenOf(operationId, value),
        ]),
      ),
    ).trim(),
    refusals
      .flatMap(([status, response]) =>
        headerFields(response).map((field) => `- ${status} has ${field}`),
      )
      .join('\n'),
  ];
}

const parameterBlocks = (title: string, parameters: NonNullable<Operation['parameters']>) =>
  parameters.length === 0
    ? []
    : [title, parameters.map((parameter) => fieldLine(parameter.name, parameter)).join('\n')];

const headerFields = ({ headers = {} }: Response) =>
  Object.entries(headers).map(([name, field]) => describeField(name, field));

/** Returns the schema of a body and its examples. */
function bodyBlocks(body: Body, operationId?: OperationId): string[] {
  const { schema } = body.content?.['application/json'] ?? {};
  if (!schema) return [];
  const fields = fieldsOf(schema).map(([name, field]) => fieldLine(name, field));
  return [
    `JSON: ${typeOf(schema)}. ${oneLine(schema.description)}`.trim(),
    ...(fields.length > 0 ? [fields.join('\n')] : []),
    ...examplesOf(body.content).flatMap(([name, { summary, value }]) => [
      `\`${name}\`: ${summary}`,
      `\`\`\`json\n${asJson(value)}\n\`\`\``,
      // What the app shows when this response arrives.
      ...(operationId ? [`The app shows: ${screenOf(operationId, value)}`] : []),
    ]),
  ];
}

const examplesOf = (content: Body['content']) =>
  Object.entries(content?.['application/json'].examples ?? {});

/** Returns what the conformance kit says that the app shows for this body. */
function screenOf(operation: OperationId, body: unknown): string {
  const message = (body as { message?: unknown }).message;
  const outcome =
    typeof message === 'string'
      ? ({ ok: false, message } as const)
      : ({ ok: true, value: body } as const);
  return describeScreen({ operation, outcome });
}

const fieldLine = (name: string, field: Field) => `- ${describeField(name, field)}`;

function describeField(name: string, { description, required, schema, example }: Field): string {
  const parts = [
    `${typeOf(schema)}${required ? ', **required**' : ', optional'}.`,
    ...limitsOf(schema).map((limit) => `\`${limit}\`.`),
    oneLine(description),
    ...(example === undefined ? [] : [`Example: \`${asText(example)}\``]),
  ];
  return `\`${name}\`: ${parts.filter(Boolean).join(' ')}`;
}

/** Returns the fields of an object, or of the objects in an array, with those of nested objects. */
function fieldsOf(schema: Schema, prefix = ''): [name: string, field: Field][] {
  if (schema.items) return fieldsOf(schema.items, `${prefix}[].`);
  return Object.entries(schema.properties ?? {}).flatMap(([key, value]) => [
    [
      prefix + key,
      {
        schema: value,
        required: schema.required?.includes(key) ?? false,
        ...(value.description && { description: value.description }),
      },
    ] satisfies [string, Field],
    ...fieldsOf(value, `${prefix}${key}.`),
  ]);
}

function typeOf({ type, items }: Schema): string {
  const text = type === undefined ? 'any value' : [type].flat().join(' or ');
  return items ? `${text} of ${typeOf(items)}` : text;
}

/** Returns every keyword of a schema that restricts a value, like `minLength: 8`. */
function limitsOf(schema: Schema): string[] {
  return Object.entries(schema)
    .filter(([keyword]) => !notLimits.has(keyword))
    .map(([keyword, limit]) => `${keyword}: ${asText(limit)}`);
}

const notLimits = new Set(['type', 'description', 'properties', 'required', 'items']);

const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** Returns JSON on one line if it fits. */
function asJson(value: unknown): string {
  const line = JSON.stringify(value);
  return line.length > 100 ? JSON.stringify(value, null, 2) : line;
}

const oneLine = (text = '') => text.trim().replaceAll(/\s+/g, ' ');
