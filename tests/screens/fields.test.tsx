import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import { bodyFields } from '../../generated/operations.ts';
import {
  definitionOf,
  formNames,
  labelsOf,
  requiredFields,
  valuesOf,
  type FormName,
} from '../../model/calls.ts';
import { forms } from '../../shared/forms.ts';
import { errorOf, fieldMessages, textToSend } from '../../shared/field-rules.ts';
import { screens } from '../../shared/routes.ts';
import {
  errorText,
  errorElement,
  expectError,
  field,
  invalid,
  renderForm,
} from '../../testing/form-screen.tsx';
import { projectOf, textNames } from '../../testing/projects.ts';

/** Returns a text that is right for a field. */
const textOf = (form: FormName, label: string) =>
  valuesOf(form, definitionOf(form).input!(1))[labelsOf(form).indexOf(label)]!;

async function renderFilled(name: FormName, ...empty: string[]) {
  const form = await renderForm(name);
  for (const label of labelsOf(name)) {
    if (!empty.includes(label)) await form.fill(label, textOf(name, label));
  }
  return form;
}

const live = (label: string) => errorElement(label)?.getAttribute('aria-live');

describe.each(formNames)('the form of %s', (name) => {
  const required = requiredFields(name).map(([, label]) => label);

  test('is named after its heading, contains its fields and its button, and announces errors', async () => {
    await renderForm(name);
    const { route, button } = forms[name];
    const form = within(screen.getByRole('form', { name: screens[route].heading }));
    for (const label of labelsOf(name)) {
      const isRequired = form.getByLabelText(label).getAttribute('aria-required');
      expect(isRequired).toBe(String(required.includes(label)));
      expect(live(label)).toBe('polite');
    }
    expect(form.getByRole('button', { name: button })).toBeDefined();
  });

  test('says what is required and sends nothing when submitted empty [VALID-2, VALID-4, VALID-5, VALID-6, VALID-7, CHOICE-22, CHOICE-23, CHOICE-24]', async () => {
    const { submit, count } = await renderForm(name);
    // Otherwise the browser shows its own messages.
    expect(screen.getByRole<HTMLFormElement>('form').noValidate).toBe(true);
    await submit();
    for (const label of required) await expectError(label, fieldMessages.required(label));
    expect(document.activeElement).toBe(field(required[0]!));
    expect(count()).toBe(0);
  });

  test('shows an error of a field only once it was touched, and until it is valid [FIELD-1, FIELD-2]', async () => {
    const { user } = await renderForm(name);
    for (const label of required) {
      await user.type(field(label), 'a{Backspace}');
      expect([errorText(label), invalid(label)]).toEqual(['', 'false']);
      await user.click(document.body);
      await expectError(label, fieldMessages.required(label));
      expect(invalid(label)).toBe('true');
      expect(labelsOf(name).filter(errorText)).toEqual([label]);
      await user.type(field(label), textOf(name, label));
      await waitFor(() => expect([errorText(label), invalid(label)]).toEqual(['', 'false']));
      expect(document.activeElement).toBe(field(label));
    }
  });

  test.each(['input', 'change', 'focusout'])(
    'has no error any more after a submit as soon as a program sets a text, at the event %s',
    async (event) => {
      const { submit } = await renderForm(name);
      await submit();
      for (const label of required) {
        await expectError(label, fieldMessages.required(label));
        field(label).value = textOf(name, label);
        fireEvent(field(label), new Event(event, { bubbles: true }));
        await waitFor(() => expect([errorText(label), invalid(label)]).toEqual(['', 'false']));
      }
    },
  );

  test('ignores the repetitions of a held Enter, unless they add lines', async () => {
    await renderForm(name);
    for (const label of required) {
      const hasLines = field(label).tagName === 'TEXTAREA';
      expect(fireEvent.keyDown(field(label), { key: 'Enter', repeat: true })).toBe(hasLines);
      expect(fireEvent.keyDown(field(label), { key: 'Enter' })).toBe(true);
      expect(fireEvent.keyDown(field(label), { key: 'a', repeat: true })).toBe(true);
    }
  });
});

/** Each field that must not be empty. */
const fields = formNames.flatMap((form) =>
  requiredFields(form).map(([, label]) => ({
    form,
    label,
    required: fieldMessages.required(label),
  })),
);

test.each(fields)(
  'the field $label of $form keeps a text that the browser cannot read, such as half a date, with an error [CHOICE-113]',
  async ({ form, label, required }) => {
    const { submit, user, count } = await renderFilled(form, label);
    // Such a field has an empty value.
    const validity = vi.spyOn(field(label), 'validity', 'get');
    validity.mockReturnValue({ badInput: true } as ValidityState);
    const setValue = vi.spyOn(field(label), 'value', 'set');
    await user.click(field(label));
    await user.tab();
    await expectError(label, `${label} is not valid`);
    await submit();
    await waitFor(() => expect(document.activeElement).toBe(field(label)));
    expect(errorText(label)).toBe(`${label} is not valid`);
    expect([count(), setValue.mock.calls]).toEqual([0, []]);
    validity.mockRestore();
    await submit();
    await expectError(label, required);
  },
);

const pairs = fields.flatMap((first, index) =>
  fields
    .slice(index + 1)
    .filter(({ form }) => form === first.form)
    .map((second) => ({ first, second })),
);

describe.each(pairs)('$first.label and $second.label of $first.form', ({ first, second }) => {
  const labels = [first.label, second.label];

  test('have errors that are announced after a failed submit, except that of the focused field', async () => {
    const { submit, user } = await renderFilled(first.form, ...labels);
    await submit();
    await expectError(first.label, first.required);
    expect(document.activeElement).toBe(field(first.label));
    expect(labels.map(live)).toEqual([null, 'polite']);
    await user.keyboard('a');
    expect(live(first.label)).toBe('polite');
    await user.click(field(second.label));
    expect(labels.map(live)).toEqual(['polite', null]);
  });

  test('have an error each when one has half a date [CHOICE-113]', async () => {
    const { submit } = await renderForm(first.form);
    const validity = vi.spyOn(field(first.label), 'validity', 'get');
    validity.mockReturnValue({ badInput: true } as ValidityState);
    await submit();
    const errors = [`${first.label} is not valid`, second.required];
    await waitFor(() => expect(labels.map(errorText)).toEqual(errors));
  });
});

test.each([
  ['blanks [CHOICE-25]', ' \n '],
  ['a single character [VALID-5, VALID-6]', 'x'],
  ['a text between blanks', '  a text '],
  ['100,000 characters [CHOICE-26]', 'x'.repeat(100_000)],
])('the texts of a project are sent if their rules allow it: %s', async (_, text) => {
  const { fill, submit, backend } = await renderForm('createProject');
  const { fields: labels } = forms.createProject;
  for (const name of textNames) await fill(labels[name], text);
  const typed = projectOf((name) => field(labels[name]).value);
  await submit();
  const rules = bodyFields.createProject;
  const errors = textNames.map((name) => errorOf(rules[name], labels[name], typed[name]));
  const sent = projectOf((name) => textToSend(rules[name], typed[name]));
  const creations = () => backend.requests.filter(({ method }) => method === 'POST');
  const result = () => [
    textNames.map((name) => errorText(labels[name]) || undefined),
    creations().map(({ body }) => body),
  ];
  await waitFor(() => expect(result()).toEqual([errors, errors.some(Boolean) ? [] : [sent]]));
});
