/** Projects for tests. A test names a field of a project only if it is about that field. */
import { bodyFields } from '../generated/operations.ts';
import type { NewProject, Project } from '../machines/types.ts';
import { fixtures } from '../model/calls.ts';
import { lengthOf, textToSend, type FieldRule } from '../shared/field-rules.ts';

type Texts = Required<NewProject>;
export type TextName = keyof Texts;

const rules: Record<TextName, FieldRule> = bodyFields.createProject;

/** The names of a project's texts. */
export const textNames = Object.keys(rules) as TextName[];

const maxLength = (name: TextName) => rules[name].maxLength!;

/** Returns a project with these texts, which the contract may refuse. */
export const projectOf = (textOf: (name: TextName) => string): Texts =>
  Object.fromEntries(textNames.map((name) => [name, textOf(name)])) as Texts;

/** Returns the `n`th project that a test creates. No two share a text. */
export const newProject = (overrides: Partial<Texts> = {}, n = 1): Texts => ({
  ...fixtures.newProject(n),
  ...overrides,
});

/** Returns the `n`th project as a backend has it. */
export const storedProject = (overrides: Partial<Project> = {}, n = 1): Required<Project> => ({
  id: n,
  ...newProject({}, n),
  ...overrides,
});

/** Returns a project with this text in each field that can store it unchanged. */
export function projectWithText(text: string): Texts {
  const names = textNames.filter((name) => {
    const { minLength = 0 } = rules[name];
    const length = lengthOf(rules[name], text);
    return (
      length >= minLength && length <= maxLength(name) && textToSend(rules[name], text) === text
    );
  });
  if (names.length === 0) throw new Error(`No text of a project can be ${JSON.stringify(text)}.`);
  return newProject(Object.fromEntries(names.map((name) => [name, text])));
}

/** Returns a project whose texts are as long as they can be, of four bytes for each character. */
export const longestProject = () => projectOf((name) => '🐎'.repeat(maxLength(name)));
