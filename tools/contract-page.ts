/** Renders openapi.yaml as a page for the developers of a backend. `npm run generate` writes it. */
import { checks } from '../conformance/checks/all.ts';
import { describeScreen } from '../conformance/problems/describe.ts';
import type { OperationId } from '../generated/operations.ts';
import {
  isRefusal,
  operationsOf,
  type ContractOperation,
  type ContractResponse,
  type Example,
  type Field,
  type Schema,
} from '../shared/contract.ts';
import { dereferencedContract } from './contract.ts';
import { markdownTable } from './diagram.ts';

export async function contractPage(): Promise<string> {
  const contract = await dereferencedContract();
  const { info, components, servers } = contract;
  const [forAllCalls = '', ...sections] = info.description.trim().split(/\n+(?=## )/);
  const operations = operationsOf(contract);
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
function curlLines(origin: string, operations: ContractOperation[]): string[] {
  const visit: OperationId[] = ['registerUser', 'login', 'createProject', 'listProjects'];
  return visit.map((call) => {
    const { path, body: declared } = operations.find(({ id }) => id === call)!;
    const example = declared?.examples[0];
    const body = JSON.stringify(example?.value)?.replaceAll("'", String.raw`'\''`);
    return [
      `curl -b cookies -c cookies -H 'Origin: ${origin}' ${origin}${path}`,
      `-H 'Accept: application/json'`,
      ...(body ? [`-H 'Content-Type: application/json'`, `-d '${body}'`] : []),
    ].join(' \\\n  ');
  });
}

function operationBlocks(operation: ContractOperation): string[] {
  const { summary, description, method, path, isPublic, parameters, body, responses } = operation;
  const id = operation.id as OperationId;
  const parametersIn = (place: string) => parameters.filter((parameter) => parameter.in === place);
  const refusals = responses.filter(isRefusal);
  return [
    `## ${summary}: ${id}`,
    `\`${method} ${path}\` ${isPublic ? 'Needs no session.' : 'Needs a session.'}`,
    description.trim(),
    ...parameterBlocks('### Path parameters', parametersIn('path')),
    ...parameterBlocks('### Request headers', parametersIn('header')),
    ...(body ? ['### Request body', ...bodyBlocks(body)] : []),
    ...responses
      .filter((response) => !isRefusal(response))
      .flatMap((response) => [
        `### ${id} ${response.status}: ${oneLine(response.description)}`,
        ...headerFields(response).map((field) => `- ${field}`),
        ...bodyBlocks(response, id),
      ]),
    `### ${id}: refusals`,
    markdownTable(
      ['status', 'reason', 'example', 'body', 'the app shows'],
      refusals.flatMap(({ status, description: reason, examples }) =>
        examples.map(({ name, summary: example, value }) => [
          String(status),
          oneLine(reason),
          `\`${name}\`: ${example}`,
          `\`${asText(value)}\``,
          screenOf(id, value),
        ]),
      ),
    ).trim(),
    refusals
      .flatMap((response) =>
        headerFields(response).map((field) => `- ${response.status} has ${field}`),
      )
      .join('\n'),
  ];
}

const parameterBlocks = (title: string, parameters: ContractOperation['parameters']) =>
  parameters.length === 0
    ? []
    : [title, parameters.map((parameter) => fieldLine(parameter.name, parameter)).join('\n')];

const headerFields = ({ headers }: ContractResponse) =>
  Object.entries(headers).map(([name, field]) => describeField(name, field));

function bodyBlocks(
  { schema, examples }: { schema?: Schema | undefined; examples: Example[] },
  operationId?: OperationId,
): string[] {
  if (!schema) return [];
  const fields = fieldsOf(schema).map(([name, field]) => fieldLine(name, field));
  return [
    `JSON: ${typeOf(schema)}. ${oneLine(schema.description)}`.trim(),
    ...(fields.length > 0 ? [fields.join('\n')] : []),
    ...examples.flatMap(({ name, summary, value }) => [
      `\`${name}\`: ${summary}`,
      `\`\`\`json\n${asJson(value)}\n\`\`\``,
      // What the app shows when this response arrives.
      ...(operationId ? [`The app shows: ${screenOf(operationId, value)}`] : []),
    ]),
  ];
}

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
