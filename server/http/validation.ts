import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import type { DataValidationCxt } from 'ajv/dist/types/index.js';
import addFormats from 'ajv-formats';
import { fieldMessages, textToSend } from '../../shared/field-rules.ts';
import { Refusal } from '../auth/refusal.ts';

/** Returns an Ajv for JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
export function createAjv(): Ajv2020 {
  // `npm run check` validates the schemas, which takes longer than compiling them.
  const ajv = new Ajv2020({ verbose: true, allowUnionTypes: true, validateSchema: false });
  addFormats.default(ajv);
  // Of the app alone.
  ajv.addKeyword('x-app-maximum');
  ajv.addKeyword({
    keyword: 'x-trimmed',
    type: 'string',
    modifying: true,
    // So that the limits count what is left.
    before: 'maxLength',
    validate(isTrimmed: boolean, text: string, _schema: unknown, context?: DataValidationCxt) {
      const { parentData, parentDataProperty } = context!;
      parentData[parentDataProperty] = textToSend({ isRequired: true, isTrimmed }, text);
      return true;
    },
  });
  return ajv;
}

/**
 * Adds what the contract says of texts in words, because engines read a pattern differently:
 * refuses halves of surrogate pairs, and NUL except in passwords, which are hashed.
 */
export function requireStorableTexts(schema: unknown): object {
  return JSON.parse(JSON.stringify(schema), (_key, value: Partial<Schema> | null) => {
    if (![value?.type].flat().includes('string')) return value;
    const nul = value?.format === 'password' ? '' : '\\0';
    return { ...value, pattern: `^[^${nul}\\ud800-\\udfff]*$` };
  }) as object;
}

type Schema = { type: string | string[]; format: string };

/** Lists validation errors without the data, which must not be logged. */
export function describeErrors(errors: ErrorObject[]): string {
  return errors.map(({ instancePath, message }) => `${instancePath} ${message}`).join(', ');
}

/** Fastify's `schemaErrorFormatter`: turns the first error of a request into a 422 for the user. */
export function toRefusal(errors: Partial<ErrorObject>[], part: string): Refusal {
  const [error] = errors as [ErrorObject];
  return new Refusal({ status: 422, message: describeError(error, part) });
}

function describeError(error: ErrorObject, part: string): string {
  if (part === 'body') return describeBodyError(error);
  if (part === 'params') return 'The address is not valid.';
  return `The header ${error.parentSchema?.['title']} is not valid.`;
}

function describeBodyError(error: ErrorObject): string {
  const field =
    error.keyword === 'required' ? error.params['missingProperty'] : error.instancePath.slice(1);
  if (!field) return 'The request body must be a JSON object.';
  const words = field.replaceAll(/[A-Z]/g, (letter: string) => ` ${letter.toLowerCase()}`);
  const name = words.charAt(0).toUpperCase() + words.slice(1);
  const isEmpty = error.keyword === 'minLength' && error.data === '';
  const type = String(error.params['type']);
  const limit = Number(error.params['limit']);
  const messages: Record<string, string> = {
    required: fieldMessages.required(name),
    type: `${name} must be ${type === 'string' ? 'text' : `of the type ${type}`}`,
    minLength: fieldMessages.minLength(name, limit),
    maxLength: fieldMessages.maxLength(name, limit),
    pattern: `${name} contains a character that cannot be kept`,
  };
  return `${messages[isEmpty ? 'required' : error.keyword] ?? `${name} is not valid`}.`;
}
