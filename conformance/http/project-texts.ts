/** The texts of a project, as the contract has them. A check names one only if it is about it. */
import { bodyFields, schemaFields } from '../../generated/operations.ts';
import type { NewProject } from '../../machines/types.ts';
import { errorOf, lengthOf, textToSend, type FieldRule } from '../../shared/field-rules.ts';
import { forms } from '../../shared/forms.ts';

export type TextName = keyof NewProject;
export type Texts = Required<NewProject>;

const rules: Record<TextName, FieldRule> = bodyFields.createProject;

export const textNames = Object.keys(rules) as TextName[];

/** Returns the label of a text as it continues a sentence. */
export const labelOf = (name: TextName): string => forms.createProject.fields[name].toLowerCase();

export const minLengthOf = (name: TextName): number => rules[name].minLength || 1;
export const maxLengthOf = (name: TextName): number => rules[name].maxLength ?? 100_000;

/** Returns what the app says of a text in a field; undefined if it sends it. */
export const appErrorOf = (name: TextName, text: string) =>
  errorOf(rules[name], forms.createProject.fields[name], text);

/** Returns an object with a value for each text. */
export const eachText = <Value>(valueOf: (name: TextName) => Value) =>
  Object.fromEntries(textNames.map((name) => [name, valueOf(name)])) as Record<TextName, Value>;

/** Returns whether a field allows a text of this length, as it is sent. */
export function isLengthAllowed(name: TextName, text: string): boolean {
  const length = lengthOf(rules[name], textToSend(rules[name], text));
  return length >= minLengthOf(name) && length <= maxLengthOf(name);
}

const isAllowed = (name: TextName, text: string) =>
  isLengthAllowed(name, text) && textToSend(rules[name], text) === text;

/** Returns this text for each field that allows it. Throws if none does. */
export function textInFields(text: string): Partial<NewProject> {
  const names = textNames.filter((name) => isAllowed(name, text));
  if (names.length === 0)
    throw new Error(`No text of a project can be ${JSON.stringify(text.slice(0, 80))}.`);
  return Object.fromEntries(names.map((name) => [name, text]));
}

/** Returns a project of texts that differ by field. A field that is too short gets its least. */
export const projectOf = (textOf: (name: TextName) => string): Texts =>
  eachText((name) =>
    isAllowed(name, textOf(name)) ? textOf(name) : 'x'.repeat(minLengthOf(name)),
  );

/** Returns the text by which users tell projects apart; undefined if the value has none. */
export const nameOf = (project: unknown): string | undefined =>
  textNames
    .map((name) => (Object(project) as Values)[name])
    .find((text) => typeof text === 'string');

type Values = Partial<Record<TextName, unknown>>;

/** A text of the fixtures has at most so many characters. */
export const maxFixtureLength = 80;

/** The fields in which the projects of a run differ. */
const tellingNames = textNames.filter((name) => maxLengthOf(name) >= maxFixtureLength);
if (tellingNames.length === 0)
  throw new Error(`No text of a project may have ${maxFixtureLength} characters.`);

/**
 * Returns whether these are one project. One text is enough, because a backend may change another.
 * What is no text may be stored as one.
 */
export function sharesText(project: Values, other: Values): boolean {
  const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return tellingNames.some(
    (name) => project[name] !== undefined && textOf(project[name]) === textOf(other[name]),
  );
}

/** The fields of a project with their types, for requirements. */
export const projectFields = Object.entries(schemaFields.Project)
  .map(([name, { types }]) => `"${name}" (${types.join(' or ').replace('integer', 'number')})`)
  .join(', ');
