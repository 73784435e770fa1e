import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import { formNames, forms, labelsOf, requiredFields } from '../../model/calls.ts';
import { screens } from '../../shared/routes.ts';
import {
  errorText,
  errorElement,
  expectError,
  field,
  invalid,
  renderForm,
} from '../../testing/form-screen.tsx';

describe.each(formNames)('the form of %s', (name) => {
  const { route, button } = forms[name];
  const fields = labelsOf(name);
  const required = requiredFields(name).map(([, label]) => label);
  const [first, second] = required as [string, string];

  test('is named after its heading, and contains its fields and its button', async () => {
    await renderForm(name);
    const form = within(screen.getByRole('form', { name: screens[route].heading }));
    for (const label of fields) {
      const isRequired = form.getByLabelText(label).getAttribute('aria-required');
      expect(isRequired).toBe(String(required.includes(label)));
    }
    expect(form.getByRole('button', { name: button })).toBeDefined();
  });

  test('has errors in live regions, so that screen readers announce them', async () => {
    await renderForm(name);
    for (const label of fields) {
      expect(errorElement(label)?.getAttribute('aria-live')).toBe('polite');
    }
  });

  test('announces an error after a failed submit, except that of the field that it focuses', async () => {
    const { submit, user } = await renderForm(name);
    const live = (label: string) => errorElement(label)?.getAttribute('aria-live');
    await submit();
    await expectError(first, `${first} is required`);
    expect(document.activeElement).toBe(field(first));
    expect([live(first), live(second)]).toEqual([null, 'polite']);
    await user.keyboard('a');
    expect(live(first)).toBe('polite');
    await user.click(field(second));
    expect([live(first), live(second)]).toEqual(['polite', null]);
  });

  test('shows an error only once its field was touched [FIELD-1, FIELD-2]', async () => {
    const { user } = await renderForm(name);
    expect([errorText(first), errorText(second)]).toEqual(['', '']);
    await user.type(field(first), 'a{Backspace}');
    expect([errorText(first), invalid(first)]).toEqual(['', 'false']);
    await user.tab();
    await expectError(first, `${first} is required`);
    expect(invalid(first)).toBe('true');
    expect([errorText(second), invalid(second)]).toEqual(['', 'false']);
  });

  test('says what is required and sends nothing when submitted empty [VALID-2, VALID-4, VALID-5, VALID-6, VALID-7, CHOICE-22, CHOICE-23]', async () => {
    const { submit, count } = await renderForm(name);
    await submit();
    for (const label of required) await expectError(label, `${label} is required`);
    expect(document.activeElement).toBe(field(first));
    expect(count()).toBe(0);
  });

  test('a text that the browser cannot read, such as half a date, is an error and is kept [CHOICE-113]', async () => {
    const { submit, user, count } = await renderForm(name);
    // Such a field has an empty value.
    const validity = vi.spyOn(field(first), 'validity', 'get');
    validity.mockReturnValue({ badInput: true } as ValidityState);
    const setValue = vi.spyOn(field(first), 'value', 'set');
    await user.click(field(first));
    await user.tab();
    await expectError(first, `${first} is not valid`);
    await submit();
    await expectError(second, `${second} is required`);
    await expectError(first, `${first} is not valid`);
    expect(document.activeElement).toBe(field(first));
    expect([count(), setValue.mock.calls]).toEqual([0, []]);
    validity.mockRestore();
    await submit();
    await expectError(first, `${first} is required`);
  });

  test("does not show the browser's validation messages [CHOICE-24]", async () => {
    await renderForm(name);
    expect(field(first).form?.noValidate).toBe(true);
  });

  test('clears an error as soon as its field is valid, after a submit', async () => {
    const { submit, user } = await renderForm(name);
    await submit();
    await expectError(second, `${second} is required`);
    await user.type(field(second), 'long enough');
    await waitFor(() => expect([errorText(second), invalid(second)]).toEqual(['', 'false']));
  });

  test('clears an error as soon as its field is valid, after a blur', async () => {
    const { user } = await renderForm(name);
    await user.click(field(second));
    await user.tab();
    await expectError(second, `${second} is required`);
    await user.type(field(second), 'long enough');
    await waitFor(() => expect([errorText(second), invalid(second)]).toEqual(['', 'false']));
    expect(document.activeElement).toBe(field(second));
  });

  test.each(['input', 'change', 'focusout'])(
    'clears an error when a program sets the value, at the event %s',
    async (event) => {
      const { submit } = await renderForm(name);
      await submit();
      await expectError(first, `${first} is required`);
      field(first).value = first === 'Email' ? 'ada@example.org' : 'Website';
      fireEvent(field(first), new Event(event, { bubbles: true }));
      await waitFor(() => expect(errorText(first)).toBe(''));
      expect(invalid(first)).toBe('false');
    },
  );

  test('ignores the repetitions of a held Enter', async () => {
    const { user } = await renderForm(name);
    await user.click(field(first));
    expect(fireEvent.keyDown(field(first), { key: 'Enter', repeat: true })).toBe(false);
    expect(fireEvent.keyDown(field(first), { key: 'Enter' })).toBe(true);
    expect(fireEvent.keyDown(field(first), { key: 'a', repeat: true })).toBe(true);
  });
});

test('a held Enter in the description adds lines', async () => {
  await renderForm('createProject');
  const heldEnter = { key: 'Enter', repeat: true };
  expect(fireEvent.keyDown(field('Description'), heldEnter)).toBe(true);
});

test.each([
  ['blanks [CHOICE-25]', '  ', ' \n '],
  ['a single character [VALID-6, VALID-7]', 'T', 'D'],
])('%s as title and description are sent as typed', async (_, title, description) => {
  const { fill, submit, body } = await renderForm('createProject');
  await fill('Title', title);
  await fill('Description', description);
  await submit();
  expect(await body()).toEqual({ title, description });
});

test('100,000 characters as title and description are sent [CHOICE-26]', async () => {
  const { user, submit, body } = await renderForm('createProject');
  const long = 'x'.repeat(100_000);
  for (const label of ['Title', 'Description']) {
    await user.click(field(label));
    await user.paste(long);
  }
  await submit();
  expect(await body()).toEqual({ title: long, description: long });
});
