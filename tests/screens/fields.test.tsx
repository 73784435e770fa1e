import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
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
import { newProject, textNames } from '../../testing/projects.ts';

const textsOf = (form: FormName) => valuesOf(form, definitionOf(form).input!(1));

/** Renders a form in which only these fields are empty. */
async function renderFilled(name: FormName, ...empty: string[]) {
  const form = await renderForm(name);
  for (const [index, label] of labelsOf(name).entries()) {
    if (!empty.includes(label)) await form.fill(label, textsOf(name)[index]!);
  }
  return form;
}

const live = (label: string) => errorElement(label)?.getAttribute('aria-live');

describe.each(formNames)('the form of %s', (name) => {
  const required = requiredFields(name).map(([, label]) => label);

  test('is named after its heading, and contains its fields and its button', async () => {
    await renderForm(name);
    const { route, button } = forms[name];
    const form = within(screen.getByRole('form', { name: screens[route].heading }));
    for (const label of labelsOf(name)) {
      const isRequired = form.getByLabelText(label).getAttribute('aria-required');
      expect(isRequired).toBe(String(required.includes(label)));
    }
    expect(form.getByRole('button', { name: button })).toBeDefined();
  });

  test('has errors in live regions, so that screen readers announce them', async () => {
    await renderForm(name);
    for (const label of labelsOf(name)) expect(live(label)).toBe('polite');
  });

  test('says what is required and sends nothing when submitted empty [VALID-2, VALID-4, VALID-5, VALID-6, VALID-7, CHOICE-22, CHOICE-23]', async () => {
    const { submit, count } = await renderForm(name);
    await submit();
    for (const label of required) await expectError(label, fieldMessages.required(label));
    expect(document.activeElement).toBe(field(required[0]!));
    expect(count()).toBe(0);
  });

  test("does not show the browser's validation messages [CHOICE-24]", async () => {
    await renderForm(name);
    expect(screen.getByRole<HTMLFormElement>('form').noValidate).toBe(true);
  });
});

/** Each field that must not be empty, with a text that is right. */
const fields = formNames.flatMap((form) =>
  requiredFields(form).map(([, label]) => ({
    form,
    label,
    text: textsOf(form)[labelsOf(form).indexOf(label)]!,
    required: fieldMessages.required(label),
  })),
);

describe.each(fields)('the field $label of $form', ({ form, label, text, required }) => {
  test('shows an error only once it was touched [FIELD-1, FIELD-2]', async () => {
    const { user } = await renderForm(form);
    expect(errorText(label)).toBe('');
    await user.type(field(label), 'a{Backspace}');
    expect([errorText(label), invalid(label)]).toEqual(['', 'false']);
    await user.tab();
    await expectError(label, required);
    expect(invalid(label)).toBe('true');
    expect(labelsOf(form).filter(errorText)).toEqual([label]);
  });

  test('keeps a text that the browser cannot read, such as half a date, with an error [CHOICE-113]', async () => {
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
  });

  const setBy = (event: string) => () => {
    field(label).value = text;
    fireEvent(field(label), new Event(event, { bubbles: true }));
  };

  test.each<[string, (user: UserEvent) => unknown]>([
    ['the user has typed a text', (user) => user.type(field(label), text)],
    ['a program sets a text, at the event input', setBy('input')],
    ['a program sets a text, at the event change', setBy('change')],
    ['a program sets a text, at the event focusout', setBy('focusout')],
  ])('has no error any more after a submit as soon as %s', async (_, set) => {
    const { submit, user } = await renderForm(form);
    await submit();
    await expectError(label, required);
    await set(user);
    await waitFor(() => expect([errorText(label), invalid(label)]).toEqual(['', 'false']));
  });

  test('has no error any more after a blur as soon as it is valid', async () => {
    const { user } = await renderForm(form);
    await user.click(field(label));
    await user.tab();
    await expectError(label, required);
    await user.type(field(label), text);
    await waitFor(() => expect([errorText(label), invalid(label)]).toEqual(['', 'false']));
    expect(document.activeElement).toBe(field(label));
  });

  test('ignores the repetitions of a held Enter, unless they add lines', async () => {
    const { user } = await renderForm(form);
    const hasLines = field(label).tagName === 'TEXTAREA';
    await user.click(field(label));
    expect(fireEvent.keyDown(field(label), { key: 'Enter', repeat: true })).toBe(hasLines);
    expect(fireEvent.keyDown(field(label), { key: 'Enter' })).toBe(true);
    expect(fireEvent.keyDown(field(label), { key: 'a', repeat: true })).toBe(true);
  });
});

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

describe.each(textNames)('the %s of a project', (name) => {
  const rule = bodyFields.createProject[name];
  const label = forms.createProject.fields[name];

  test.each([
    ['blanks [CHOICE-25]', ' \n '],
    ['a single character [VALID-5, VALID-6]', 'x'],
    ['a text between blanks', '  a text '],
    ['100,000 characters [CHOICE-26]', 'x'.repeat(100_000)],
  ])('is sent if its rule allows it: %s', async (_, text) => {
    const { fill, submit, backend } = await renderFilled('createProject', label);
    await fill(label, text);
    const typed = field(label).value;
    await submit();
    const creations = () => backend.requests.filter(({ method }) => method === 'POST');
    const error = errorOf(rule, label, typed);
    const sent = error ? [] : [newProject({ [name]: textToSend(rule, typed) })];
    const result = () => [errorText(label), creations().map(({ body }) => body)];
    await waitFor(() => expect(result()).toEqual([error ?? '', sent]));
  });
});
