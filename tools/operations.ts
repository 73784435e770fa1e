/** Writes generated/operations.ts: a row and the types of each operation, and checks of bodies. */
import { inspect } from 'node:util';
import {
  isRefusal,
  isSuccess,
  operationsOf,
  type ContractDocument,
  type ContractOperation,
  type Schema,
} from '../shared/contract.ts';
import { UsageError } from '../shared/usage-error.ts';
import type { DereferencedContract } from './contract.ts';

/** Returns the text of generated/operations.ts. */
export function operationsModule(
  contract: ContractDocument & { components: Pick<DereferencedContract['components'], 'schemas'> },
): string {
  const { schemas } = contract.components;
  const operations = operationsOf(contract);
  /** The names of the schemas by their JSON, because the contract is dereferenced. */
  const names = new Map(
    Object.entries(schemas).map(([name, schema]) => [JSON.stringify(schema), name]),
  );
  const used = new Map<string, Schema>();
  const nameOf = (schema: Schema) => {
    const name = names.get(JSON.stringify(schema));
    if (name !== undefined) used.set(name, schema);
    return name;
  };

  const rows = operations.map((operation) => tableRow(operation, nameOf));
  const checks = checksOf(used, nameOf);

  const schemaFields = Object.fromEntries(
    Object.entries(schemas)
      .filter(([, { properties }]) => properties)
      .map(([name, schema]) => [name, fieldsOf(schema)]),
  );

  const bodyFields = operations.flatMap(({ id, body }) => {
    if (!body?.schema) return [];
    const name = names.get(JSON.stringify(body.schema));
    return [`  ${id}: ${name ? `schemaFields.${name}` : inspect(fieldsOf(body.schema))},`];
  });

  return [
    '/** Generated from openapi.yaml by `npm run generate`. */',
    `import type { components, operations } from './api.d.ts';\n`,
    '/** How each operation is sent. `isBody` checks the types in the body of a success that has one. */',
    'export const operationTable = {',
    ...rows.flat(),
    '} as const;\n',
    'export type OperationId = keyof typeof operationTable;\n',
    '/** What each operation receives, and the bodies of its successes by status. */',
    'export interface OperationTypes {',
    ...operations.flatMap(typesOf),
    '}\n',
    '/** An example of an error response. It has the status and the message. */',
    `export type RefusalName =\n  | '${refusalNames(operations).join(`'\n  | '`)}';\n`,
    '/** The fields of each schema: their types, whether they are required, and their limits. */',
    `export const schemaFields = ${inspect(schemaFields, { depth: null, breakLength: 100 })} as const;\n`,
    '/** The fields of the body that each operation receives. */',
    'export const bodyFields = {',
    ...bodyFields,
    '} as const;\n',
    ...fieldFunctions,
    ...checks,
    'function isObject(value: unknown): value is Record<string, unknown> {',
    `  return typeof value === 'object' && value !== null && !Array.isArray(value);`,
    '}\n',
  ].join('\n');
}

/** The names of the extensions of the contract in `FieldRule`. */
const ruleNames: Record<string, string> = {
  'x-trimmed': 'isTrimmed',
  'x-app-maximum': 'hasAppMaximum',
};

function refusalNames(operations: ContractOperation[]): string[] {
  const refusals = operations.flatMap(({ responses }) => responses.filter(isRefusal));
  return [...new Set(refusals.flatMap(({ examples }) => examples.map(({ name }) => name)))];
}

/** Returns the lines of the checks of schemas. */
function checksOf(used: Map<string, Schema>, nameOf: (schema: Schema) => string | undefined) {
  const checks: string[] = [];
  // Checking a schema may add others to the map, which then come later in this loop.
  for (const [name, schema] of used)
    checks.push(
      `export const is${name} = (value: unknown): value is components['schemas']['${name}'] =>`,
      `  ${typeCheck(schema, 'value', (inner) => (inner === schema ? undefined : nameOf(inner)))};\n`,
    );
  return checks;
}

/** Returns the lines of an operation in `operationTable`. */
function tableRow(
  { id, method, path, body, responses }: ContractOperation,
  nameOf: (schema: Schema) => string | undefined,
) {
  const { status, schema } = responses.find(isSuccess)!;
  return [
    `  ${id}: {`,
    `    method: '${method.toLowerCase()}',`,
    `    path: '${path}',`,
    `    hasBody: ${Boolean(body)},`,
    `    successStatus: ${status},`,
    `    isBody: ${schema && `(body: unknown) => ${typeCheck(schema, 'body', nameOf)}`},`,
    `  },`,
  ];
}

/** Returns the lines of an operation in `OperationTypes`. */
function typesOf({ id, isPublic, parameters, body, responses }: ContractOperation) {
  const type = `operations['${id}']`;
  const hasParameters = parameters.some((parameter) => parameter.in === 'path');
  const json = `['content']['application/json']`;
  return [
    `  ${id}: {`,
    `    isPublic: ${isPublic};`,
    `    params: ${hasParameters ? `${type}['parameters']['path']` : 'unknown'};`,
    `    body: ${body ? `NonNullable<${type}['requestBody']>${json}` : 'unknown'};`,
    `    successes: {`,
    ...responses.filter(isSuccess).map(({ status, schema }) => {
      return `      ${status}: ${schema ? `${type}['responses'][${status}]${json}` : 'undefined'};`;
    }),
    `    };`,
    `  };`,
  ];
}

/** Returns what the contract says of each field of a schema, without its prose. */
const fieldsOf = ({ properties = {}, required = [] }: Schema) =>
  Object.fromEntries(
    Object.entries(properties).map(([name, { type, ...facts }]) => {
      const rules = Object.entries(facts)
        .filter(([key]) => !/description|example/.test(key))
        .map(([key, value]) => [ruleNames[key] ?? key, value]);
      const types = [type ?? []].flat();
      return [name, { types, isRequired: required.includes(name), ...Object.fromEntries(rules) }];
    }),
  );

/** What the code does with all fields of a schema. */
const fieldFunctions = [
  '/** Returns the values of an empty form. */',
  'export const emptyValues = <Name extends string>(fields: Readonly<Record<Name, unknown>>) =>',
  `  Object.fromEntries(Object.keys(fields).map((name) => [name, ''])) as Record<Name, string>;\n`,
  '/** Returns the values of these fields as one text. Null, undefined and an empty text are equal. */',
  'export const textOfFields = <Name extends string>(',
  '  fields: Readonly<Record<Name, unknown>>,',
  '  values: { readonly [Key in Name]?: unknown },',
  ") => JSON.stringify(Object.keys(fields).map((name) => values[name as Name] ?? ''));\n",
];

/**
 * Returns an expression that is true when `value` has the types of a schema. It ignores limits,
 * because the app shows what a backend with other limits sends. `nameOf` returns the name of a
 * schema that has a check of its own. Throws a `UsageError`.
 */
export function typeCheck(
  schema: Schema,
  value: string,
  nameOf: (schema: Schema) => string | undefined = () => undefined,
): string {
  const name = nameOf(schema);
  if (name !== undefined) return `is${name}(${value})`;
  const { type, properties = {}, required = [], items } = schema;
  const check = (inner: Schema, of: string) => typeCheck(inner, of, nameOf);
  const values = schema.enum?.map((each) => `${value} === ${JSON.stringify(each)}`);
  const ofTypes = [type ?? []].flat().map((each) => {
    if (each === 'null') return `${value} === null`;
    if (each === 'array')
      return `Array.isArray(${value})${items ? ` && ${value}.every((item) => ${check(items, 'item')})` : ''}`;
    if (each !== 'object') return `typeof ${value} === '${each === 'integer' ? 'number' : each}'`;
    const ofProperties = Object.entries(properties).map(([key, property]) => {
      const of = `${value}['${key}']`;
      const isRight = check(property, of);
      return required.includes(key) ? isRight : `(${of} === undefined || ${isRight})`;
    });
    return [`isObject(${value})`, ...ofProperties].join(' &&\n  ');
  });
  const alternatives = values ?? ofTypes;
  if (alternatives.length === 0)
    throw new UsageError(`openapi.yaml: this schema needs a type: ${JSON.stringify(schema)}`);
  return alternatives.length === 1 ? alternatives[0]! : `(${alternatives.join(' || ')})`;
}
