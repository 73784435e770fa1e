import type { Ajv2020, ValidateFunction } from 'ajv/dist/2020.js';
import fastJson, { type Schema } from 'fast-json-stringify';

/** Gives the JSON of an answer. Throws when the contract does not allow the answer; keys that it does not declare stay here. */
export type Serialize = (body: unknown) => string;

/** The writer for a schema of the contract. What it throws starts with `mistake`. */
export function createSerializer(
  mistake: string,
  schema: object,
  schemas: Record<string, object>,
  validator: Ajv2020,
): Serialize {
  const isAllowed = validator.compile(schema);
  // Writes the declared keys and looks at no others; it trusts the types, so it comes second.
  const write = fastJson({ ...schema, components: { schemas } } as unknown as Schema);
  return (body) => {
    if (!isAllowed(body)) throw new Error(`${mistake}: ${describe(isAllowed.errors)}`);
    return write(body);
  };
}

/** Without the data itself, which has no place in a log. */
function describe(errors: ValidateFunction['errors']): string {
  return (errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`).join(', ');
}
