/** The texts of the forms, as docs/specification.md has them. Other tests read them from `shared`. */
import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { expectError, field, renderForm } from '../../testing/form-screen.tsx';

test.each([
  ['login', 'Sign in', ['Email', 'Password'], 'Sign in'],
  ['registerUser', 'Create an account', ['Email', 'Password'], 'Register'],
  ['createProject', 'New Project', ['Title', 'Description'], 'Create Project'],
] as const)(
  'the form of %s has the heading "%s", the fields %j and the button "%s" [LOGIN-1, LOGIN-3, LOGIN-4, REGISTER-1, REGISTER-3, REGISTER-4, PROJECTS-1, PROJECTS-4, VALID-2, VALID-4, VALID-5, VALID-6]',
  async (name, heading, labels, button) => {
    const { user } = await renderForm(name);
    expect(screen.getByRole('heading', { level: 1, name: heading })).toBeDefined();
    const { form } = field(labels[0]);
    expect(form?.querySelectorAll('input, textarea')).toHaveLength(labels.length);
    expect(form?.querySelectorAll('[type=submit]')).toHaveLength(1);
    await user.click(screen.getByRole('button', { name: button }));
    for (const label of labels) await expectError(label, `${label} is required`);
  },
);

test('the title suggests a text, and the description shows four rows [PROJECTS-2, PROJECTS-3]', async () => {
  await renderForm('createProject');
  expect(field('Title').placeholder).toBe('Website development project');
  expect(field('Description').getAttribute('rows')).toBe('4');
});
