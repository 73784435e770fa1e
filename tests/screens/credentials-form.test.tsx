import { act, screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { isAuthenticated } from '../../machines/auth.ts';
import { forms } from '../../shared/forms.ts';
import { email, password, renderCredentialsScreen } from '../../testing/credentials-screen.tsx';
import { expectError, renderForm } from '../../testing/form-screen.tsx';

test.each([
  [
    'the sign-in screen [LOGIN-1, LOGIN-2, LOGIN-3, LOGIN-4, LOGIN-6]',
    'login',
    'Enter your email and password to sign in',
    'current-password',
  ],
  [
    'the registration screen [REGISTER-1, REGISTER-2, REGISTER-3, REGISTER-4, CHOICE-42]',
    'registerUser',
    'Enter your email and password to register',
    'new-password',
  ],
] as const)(
  '%s has its texts, a button, no banner, and two fields that password managers know',
  async (_, name, subtitle, autocomplete) => {
    const { button } = await renderCredentialsScreen(name);
    expect(screen.getByText(subtitle)).toBeDefined();
    expect([email().type, password().type]).toEqual(['email', 'password']);
    expect([email().name, password().name]).toEqual(['email', 'password']);
    expect([email().autocomplete, password().autocomplete]).toEqual(['username', autocomplete]);
    expect(email().getAttribute('autocapitalize')).toBe('none');
    expect(email().getAttribute('spellcheck')).toBe('false');
    expect(email().form?.querySelectorAll('input, textarea, select')).toHaveLength(2);
    expect(button().getAttribute('type')).toBe('submit');
    expect(screen.queryByRole('alert')).toBeNull();
  },
);

test.each(['login', 'registerUser'] as const)(
  '%s sends credentials that are right, and goes on showing what was typed [APP-1, ENTITY-4, CALL-5, VALID-1, VALID-3, CHOICE-102]',
  async (name) => {
    const { fill, submit, count, body } = await renderForm(name);
    const { email: emailLabel, password: passwordLabel } = forms[name].fields;
    await fill(emailLabel, 'ada@');
    await fill(passwordLabel, 'pass wo');
    await submit();
    await expectError(emailLabel, 'Invalid email address');
    await expectError(passwordLabel, 'Password must be at least 8 characters');
    expect(count()).toBe(0);
    await fill(emailLabel, 'ada@münchen.example');
    await fill(passwordLabel, ' pass word ');
    await submit();
    expect(await body()).toEqual({ email: 'ada@xn--mnchen-3ya.example', password: ' pass word ' });
    expect([email().value, password().value]).toEqual(['ada@münchen.example', ' pass word ']);
  },
);

test.each([
  ['[CHOICE-4]', 'login', 200],
  ['[CHOICE-5]', 'registerUser', 201],
] as const)(
  '%s %s does not navigate when the user has left its screen',
  async (_, name, status) => {
    const { submit, backend, go, path, auth } = await renderCredentialsScreen(name);
    await submit();
    await go('/about');
    (await backend.next(name)).answer(status, { role: 'member' });
    await waitFor(() => expect(isAuthenticated(auth.getSnapshot())).toBe(true));
    expect(path()).toBe('/about');
  },
);

test.each(['login', 'registerUser'] as const)(
  'a pending %s keeps the button busy and focused, and ignores further submits [CHOICE-7]',
  async (name) => {
    const { submit, backend, user, button } = await renderCredentialsScreen(name);
    await submit();
    await waitFor(() => expect(button().getAttribute('aria-busy')).toBe('true'));
    expect(button().getAttribute('aria-disabled')).toBe('true');
    expect(document.activeElement).toBe(button());
    await user.click(button());
    await user.dblClick(button());
    await user.type(password(), '{Enter}');
    expect(backend.count(name)).toBe(1);
  },
);

test.each(['login', 'registerUser'] as const)(
  'the button of %s shows the password until it is pressed again or the form is submitted [CHOICE-124]',
  async (name) => {
    const { user, submit } = await renderCredentialsScreen(name);
    const show = () => screen.getByRole('button', { name: 'Show password' });
    /** A browser stores the text of a field, but not with `off`. */
    const isStored = () => password().getAttribute('autocomplete') !== 'off';
    const isShown = () => [password().type, show().getAttribute('aria-pressed'), isStored()];
    await user.click(password());
    expect(isShown()).toEqual(['password', 'false', true]);
    await user.click(show());
    expect(isShown()).toEqual(['text', 'true', false]);
    expect(document.activeElement).toBe(password());
    expect(screen.getAllByRole('textbox', { name: 'Password' })).toEqual([password()]);
    // Neither changes the text, or sends it to a service that checks its spelling.
    expect([
      password().getAttribute('autocapitalize'),
      password().getAttribute('spellcheck'),
    ]).toEqual(['none', 'false']);
    await user.tab();
    await user.tab();
    expect(document.activeElement).toBe(show());
    await user.keyboard(' ');
    expect(isShown()).toEqual(['password', 'false', true]);
    await user.keyboard('{Enter}');
    expect(isShown()).toEqual(['text', 'true', false]);
    await submit();
    expect(isShown()).toEqual(['password', 'false', true]);
    await user.click(show());
    act(() => void window.dispatchEvent(new Event('pagehide')));
    expect(isShown()).toEqual(['password', 'false', true]);
  },
);
