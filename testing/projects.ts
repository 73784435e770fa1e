/** Projects for tests. A test names a field of a project only if it is about that field. */
import { bodyFields } from '../generated/operations.ts';
import type { NewProject, Project } from '../machines/types.ts';
import { fixtures } from '../model/calls.ts';
import { lengthOf, textToSend, type FieldRule } from '../shared/field-rules.ts';

type Texts = Required<NewProject>;
export type TextName = keyof Texts;

const rules: Record<TextName, FieldRule> = bodyFields.createProject;

export const textNames = Object.keys(rules) as TextName[];

const maxLengthOf = (name: TextName) => rules[name].maxLength!;

/** Returns a project with these texts, which the contract may refuse. */
export const projectOf = (textOf: (name: TextName, maxLength: number) => string): Texts =>
  Object.fromEntries(textNames.map((name) => [name, textOf(name, maxLengthOf(name))])) as Texts;

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

/**
 * Returns a list as a backend has it, with the titles "Project 1" and so on. Each project has these
 * lines, in its title if that is its only text.
 */
export const listOf = (count: number, linesOf = (_index: number) => 'First line.\nSecond line.') =>
  Array.from({ length: count }, (_, index): Required<Project> & { id: number } => {
    const [title, lines] = [`Project ${index + 1}`, linesOf(index)];
    const titleText = textNames.length > 1 ? title : `${title}\n${lines}`;
    return { id: index + 1, ...projectOf(() => lines), title: titleText };
  });

/** Returns a project with this text in each field that can store it unchanged. */
export function projectWithText(text: string): Texts {
  const names = textNames.filter((name) => {
    const { minLength = 0 } = rules[name];
    const length = lengthOf(rules[name], text);
    return (
      length >= minLength && length <= maxLengthOf(name) && textToSend(rules[name], text) === text
    );
  });
  if (names.length === 0) throw new Error(`No text of a project can be ${JSON.stringify(text)}.`);
  return newProject(Object.fromEntries(names.map((name) => [name, text])));
}

/** Returns a project with so many characters in its longest text. */
export function longProject(length: number, character = 'x'): Texts {
  const [name] = textNames.toSorted((a, b) => maxLengthOf(b) - maxLengthOf(a));
  if (length > maxLengthOf(name!)) throw new Error(`No text has ${length} characters.`);
  return newProject({ [name!]: character.repeat(length) });
}

/** Returns a project whose texts are as long as they can be, of four bytes for each character. */
export const longestProject = () => projectOf((_, maxLength) => '🐎'.repeat(maxLength));

/** Returns projects that are as long as they can be, and have so many bytes together. */
export function projectsOfBytes(bytes: number): Texts[] {
  const longest = longestProject();
  const count = Math.ceil(bytes / Buffer.byteLength(JSON.stringify(longest)));
  return Array.from({ length: count }, () => longest);
}

/** Returns JSON in its longest notation: each UTF-16 code unit of a text is an escape. */
export function escapedJson(texts: Record<string, string>): string {
  const escape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const toJson = (text: string) => `"${text.replaceAll(/[^]/g, escape)}"`;
  const members = Object.entries(texts).map((member) => member.map(toJson).join(':'));
  return `{${members.join()}}`;
}

/** Returns a body that is longer than a valid one, and than what the server allows beside it. */
export const tooLargeProject = (bytes = escapedJson(longestProject()).length + 20_000) => ({
  ...newProject(),
  undeclared: 'x'.repeat(bytes),
});
