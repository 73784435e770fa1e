import { expect, test } from 'vitest';
import { errorOf, textToSend, type FieldRule } from '../../shared/field-rules.ts';

const text: FieldRule = { isRequired: true, minLength: 3, maxLength: 5 };

test.each<[title: string, rule: FieldRule, right: string[], wrong: string[], error: string]>([
  ['a required text', { isRequired: true }, ['a', ' '], [''], 'Name is required'],
  [
    'a minimum',
    text,
    ['abc', '🐎🐎🐎', '   '],
    ['ab', '🐎🐎'],
    'Name must be at least 3 characters',
  ],
  ['a maximum of the backend', text, ['abcdef'], [], ''],
  [
    'a maximum of the app',
    { ...text, hasAppMaximum: true },
    ['abcde', '🐎🐎🐎🐎🐎'],
    ['abcdef'],
    'Name must be at most 5 characters',
  ],
  [
    'a trimmed text',
    { ...text, isTrimmed: true },
    [' abc\n', '\u00a0a b'],
    ['  a  ', ' a\t'],
    'Name must be at least 3 characters',
  ],
  ['a trimmed blank text', { ...text, isTrimmed: true }, [], [' ', '\n\u00a0'], 'Name is required'],
  [
    'an optional text',
    { ...text, isRequired: false },
    [''],
    ['a'],
    'Name must be at least 3 characters',
  ],
  [
    'a password',
    { ...text, format: 'password' },
    ['e\u0301e\u0301e\u0301'],
    ['e\u0301e\u0301'],
    'Name must be at least 3 characters',
  ],
])('%s has an error where the rule is broken', (_, rule, right, wrong, error) => {
  const errors = (texts: string[]) => texts.map((each) => errorOf(rule, 'Name', each));
  expect(errors(right)).toEqual(right.map(() => undefined));
  expect(errors(wrong)).toEqual(wrong.map(() => error));
});

test('only a trimmed text loses white space at its ends', () => {
  expect(textToSend(text, ' a b ')).toBe(' a b ');
  expect(textToSend({ ...text, isTrimmed: true }, '\u00a0 a b\n')).toBe('a b');
});
