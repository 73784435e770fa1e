import { screen } from '@testing-library/react';
import { forms } from '../shared/forms.ts';
import { textNames, type TextName } from './projects.ts';
import type { renderApp } from './render-app.tsx';

const { fields, button } = forms.createProject;

export const projectField = (name: TextName) =>
  screen.getByLabelText<HTMLInputElement>(fields[name]);
export const createButton = () => screen.getByRole('button', { name: button });

export const formTexts = () =>
  Object.fromEntries(textNames.map((name) => [name, projectField(name).value]));

/** Replaces the texts in the form. */
export async function fillProject(
  { user, paste }: Awaited<ReturnType<typeof renderApp>>,
  texts: Record<TextName, string>,
) {
  for (const name of textNames) {
    await user.clear(projectField(name));
    await paste(projectField(name), texts[name]);
  }
}
