import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { CREATE, LOGIN, REGISTER } from '../../model/controlled-backend.ts';
import { renderApp } from '../support/render-app.tsx';

const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label);
const invalid = (label: string) => field(label).getAttribute('aria-invalid');

/** The error that is tied to a field, as a screen reader reads it. */
function error(label: string): string | null | undefined {
  const id = field(label).getAttribute('aria-describedby');
  return id === null ? undefined : document.getElementById(id)?.textContent;
}

const forms = [
  {
    name: 'Create an account',
    route: '/register',
    button: 'Register',
    call: REGISTER,
    fields: ['Email', 'Password'],
  },
  {
    name: 'Sign in',
    route: '/login',
    button: 'Sign in',
    call: LOGIN,
    fields: ['Email', 'Password'],
  },
  {
    name: 'New Project',
    route: '/projects',
    button: 'Create Project',
    call: CREATE,
    fields: ['Title', 'Description'],
  },
];

async function form({ route, button }: { route: string; button: string }) {
  const app = await renderApp(route);
  const submit = await screen.findByRole('button', { name: button });
  return {
    ...app,
    submit: () => app.user.click(submit),
    fill: async (label: string, text: string) => {
      await app.user.clear(field(label));
      if (text !== '') await app.user.type(field(label), text);
      await app.user.tab();
    },
  };
}

describe.each(forms)('the form on $route', (it) => {
  test(`is called "${it.name}" by screen readers, and holds its fields and its button`, async () => {
    await form(it);
    const inside = within(screen.getByRole('form', { name: it.name }));
    for (const label of it.fields) expect(inside.getByLabelText(label)).toBeDefined();
    expect(inside.getByRole('button', { name: it.button })).toBeDefined();
  });

  test('an error that appears is read out', async () => {
    await form(it);
    for (const label of it.fields) {
      const id = field(label).getAttribute('aria-describedby') ?? '';
      expect(document.getElementById(id)?.getAttribute('aria-live')).toBe('polite');
    }
  });

  test('[FIELD-1, FIELD-2] an error appears only once its field was touched', async () => {
    const { user } = await form(it);
    const [first = '', second = ''] = it.fields;
    expect([error(first), error(second)]).toEqual(['', '']);
    await user.click(field(first));
    expect([error(first), invalid(first)]).toEqual(['', 'false']);
    await user.tab();
    await waitFor(() => expect(error(first)).toBe(`${first} is required`));
    expect(invalid(first)).toBe('true');
    expect([error(second), invalid(second)]).toEqual(['', 'false']);
  });

  test('[VALID-2, VALID-4, VALID-5, VALID-6, VALID-7, CHOICE-22, CHOICE-23] submitting it empty says what is required, and makes no call', async () => {
    const { submit, backend } = await form(it);
    await submit();
    for (const label of it.fields) {
      await waitFor(() => expect(error(label)).toBe(`${label} is required`));
    }
    expect(document.activeElement).toBe(field(it.fields[0] ?? ''));
    expect(backend.count(it.call)).toBe(0);
  });

  test('[CHOICE-24] the bubbles of the browser are off', async () => {
    await form(it);
    expect(field(it.fields[0] ?? '').form?.noValidate).toBe(true);
  });

  test('an error goes as soon as it is mended', async () => {
    const { submit, user } = await form(it);
    const [, second = ''] = it.fields;
    await submit();
    await waitFor(() => expect(error(second)).toBe(`${second} is required`));
    await user.type(field(second), 'long enough');
    await waitFor(() => expect([error(second), invalid(second)]).toEqual(['', 'false']));
  });

  test('an error that came by leaving the field goes while it is being mended', async () => {
    const { user } = await form(it);
    const [, second = ''] = it.fields;
    await user.click(field(second));
    await user.tab();
    await waitFor(() => expect(error(second)).toBe(`${second} is required`));
    await user.type(field(second), 'long enough');
    await waitFor(() => expect([error(second), invalid(second)]).toEqual(['', 'false']));
    expect(document.activeElement).toBe(field(second));
  });

  test('Enter held down submits once', async () => {
    const { user } = await form(it);
    const [first = ''] = it.fields;
    await user.click(field(first));
    expect(fireEvent.keyDown(field(first), { key: 'Enter', repeat: true })).toBe(false);
    expect(fireEvent.keyDown(field(first), { key: 'Enter' })).toBe(true);
    expect(fireEvent.keyDown(field(first), { key: 'a', repeat: true })).toBe(true);
  });
});

test('Enter held down in the description makes line after line', async () => {
  await form(forms[2]!);
  const pressed = { key: 'Enter', repeat: true };
  expect(fireEvent.keyDown(field('Description'), pressed)).toBe(true);
});

describe.each(forms.slice(0, 2))('the credentials on $route', (it) => {
  test('[FIELD-1] nothing is said of a field while it is being filled for the first time', async () => {
    const { user } = await form(it);
    await user.type(field('Email'), 'ada');
    await user.type(field('Password'), 'short');
    expect([error('Password'), invalid('Password')]).toEqual(['', 'false']);
    await user.tab();
    await waitFor(() => expect(invalid('Password')).toBe('true'));
  });

  test.each(['ada', 'ada@', '@example.org', 'ada@example', 'ada example.org', 'a@b@c.org'])(
    '[VALID-1] "%s" is no email address',
    async (text) => {
      const { fill, submit, backend } = await form(it);
      await fill('Email', text);
      await waitFor(() => expect(error('Email')).toBe('Invalid email address'));
      await fill('Password', 'correct horse');
      await submit();
      expect(backend.count(it.call)).toBe(0);
    },
  );

  test.each(['ada@example.org', 'ada.lovelace+tracker@sub.example.co.uk', "o'neill_1@example.io"])(
    '[VALID-1] "%s" is one',
    async (text) => {
      const { fill, submit, backend } = await form(it);
      await fill('Email', text);
      await fill('Password', 'correct horse');
      await submit();
      expect((await backend.next(it.call)).body).toMatchObject({ email: text });
    },
  );

  test('no keyboard changes the letters of an email, and no dictionary marks it', async () => {
    await form(it);
    expect(field('Email').getAttribute('autocapitalize')).toBe('none');
    expect(field('Email').getAttribute('spellcheck')).toBe('false');
  });

  test.each(['1234567', 'pass wo', '😀😀😀😀😀😀😀'])(
    '[VALID-3, CONST-2] the 7 characters "%s" are too few',
    async (text) => {
      const { fill, submit, backend } = await form(it);
      await fill('Email', 'ada@example.org');
      await fill('Password', text);
      await waitFor(() => expect(error('Password')).toBe('Password must be at least 8 characters'));
      await submit();
      expect(backend.count(it.call)).toBe(0);
    },
  );

  test.each(['12345678', '        ', ' pass wo', '😀😀😀😀😀😀😀😀'])(
    '[CONST-2] the 8 characters "%s" are enough, and sent as typed',
    async (text) => {
      const { fill, submit, backend } = await form(it);
      await fill('Email', 'ada@example.org');
      await fill('Password', text);
      await submit();
      expect((await backend.next(it.call)).body).toMatchObject({ password: text });
    },
  );
});

test('[CHOICE-25] a title and a description of blanks are sent as typed', async () => {
  const { fill, submit, backend } = await form(forms[2]!);
  await fill('Title', '  ');
  await fill('Description', ' \n ');
  await submit();
  expect((await backend.next(CREATE)).body).toEqual({ title: '  ', description: ' \n ' });
});

test('[VALID-6, VALID-7] one character is enough for a title and for a description', async () => {
  const { fill, submit, backend } = await form(forms[2]!);
  await fill('Title', 'T');
  await fill('Description', 'D');
  await submit();
  expect((await backend.next(CREATE)).body).toEqual({ title: 'T', description: 'D' });
});

test('[CHOICE-26] a hundred thousand characters are sent', async () => {
  const { user, submit, backend } = await form(forms[2]!);
  const long = 'x'.repeat(100_000);
  for (const label of ['Title', 'Description']) {
    await user.click(field(label));
    await user.paste(long);
  }
  await submit();
  expect((await backend.next(CREATE)).body).toEqual({ title: long, description: long });
});
