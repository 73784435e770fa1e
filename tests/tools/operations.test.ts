import { expect, test } from 'vitest';
import type { Schema } from '../../shared/contract.ts';
import { UsageError } from '../../shared/usage-error.ts';
import { operationsModule, typeCheck } from '../../tools/operations.ts';

const string = { type: 'string' };
const pair: Schema = { type: 'object', required: ['a'], properties: { a: string, b: string } };

test.each<[title: string, schema: Schema, right: unknown[], wrong: unknown[]]>([
  ['a text', { type: 'string' }, ['', 'a'], [1, null, undefined, {}]],
  ['a number', { type: 'integer' }, [0, 1e300], ['1', true]],
  ['several types', { type: ['string', 'integer', 'null'] }, ['a', 1, null], [true, undefined]],
  ['a boolean', { type: 'boolean' }, [true, false], [0, 'true']],
  ['an enum', { type: 'string', enum: ['a', 'b'] }, ['a', 'b'], ['c', 1, undefined]],
  ['any object', { type: 'object' }, [{}, { a: 1 }], [[], null, 'a']],
  ['a property that may be absent', pair, [{ a: '' }, { a: '', b: '', c: 1 }], [{ a: '', b: 1 }]],
  ['a required property', pair, [{ a: '' }], [{}, { a: null }, { b: '' }]],
  ['an array', { type: 'array', items: pair }, [[], [{ a: '' }]], [{}, [{ a: '' }, {}], [[]]]],
  ['an array of anything', { type: 'array' }, [[], [1]], [{}]],
  [
    'a nested array',
    { type: 'array', items: { type: 'array', items: string } },
    [[], [['a'], []]],
    [['a'], [[1]]],
  ],
])(
  'the check of %s accepts what the schema allows, and nothing else',
  (_, schema, right, wrong) => {
    const isObject = (value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value);
    // oxlint-disable-next-line no-implied-eval -- the text that is generated
    const check = new Function('value', 'isObject', `return ${typeCheck(schema, 'value')}`);
    expect(right.map((value) => check(value, isObject))).toEqual(right.map(() => true));
    expect(wrong.map((value) => check(value, isObject))).toEqual(wrong.map(() => false));
  },
);

test('a schema of a kind that the generator does not know is an error', () => {
  expect(() => typeCheck({ oneOf: [] } as Schema, 'value')).toThrow(UsageError);
});

test('a call with a parameter, a nested schema and a success without a body has its types', () => {
  const json = (schema: Schema) => ({ content: { 'application/json': { schema } } });
  const parameterIn = (place: string) => ({ name: 'listId', in: place, schema: string });
  const text = operationsModule({
    security: [],
    paths: {
      '/lists/{listId}': {
        get: {
          operationId: 'getList',
          parameters: [parameterIn('path'), parameterIn('header')],
          responses: { 200: json({ type: 'object', properties: { pairs: pair } }), 404: {} },
        },
        delete: { operationId: 'deleteList', responses: { 204: {} } },
      },
    },
    components: { schemas: { Pair: pair } },
  });
  expect(text).toContain("params: operations['getList']['parameters']['path'];");
  expect(text).toContain("(body['pairs'] === undefined || isPair(body['pairs']))");
  expect(text).toContain('204: undefined;');
  const [a, b] = [
    "a: { types: [ 'string' ], isRequired: true }",
    "b: { types: [ 'string' ], isRequired: false }",
  ];
  expect(text).toContain(`Pair: {\n    ${a},\n    ${b}\n  }`);
  expect(text).toContain('isBody: undefined,');
});
