import { expect, test } from 'vitest';
import { toRefusal } from '../../server/http/validation.ts';

test.each([
  ['email', 'Email must be at least 8 characters.'],
  ['newPassword', 'New password must be at least 8 characters.'],
])('a refusal names the field %s in words', (field, message) => {
  const error = { keyword: 'minLength', instancePath: `/${field}`, params: { limit: 8 } };
  expect(toRefusal([error], 'body').message).toBe(message);
});
