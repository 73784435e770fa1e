import { expect, test } from 'vitest';
import { parseCommandLine, selectNames } from '../../tools/command-line.ts';

test('returns the given options and words', () => {
  const accepted = { options: ['update', 'force'], words: true };
  expect(parseCommandLine(['login', '--force'], accepted)).toEqual({
    options: new Set(['force']),
    words: ['login'],
  });
});

test.each([
  ['an option that the file does not have', ['--forec'], "Unknown option '--forec'."],
  ['an option with a value', ['--force=no'], "Option '--force' does not take an argument."],
  ['a word where none is expected', ['login'], "Unexpected argument 'login'."],
])('refuses %s with one sentence', (_case, args, sentence) => {
  expect(() => parseCommandLine(args, { options: ['force'] })).toThrow(
    `${sentence} Run the file with --help to see its options.`,
  );
});

test('selects the names that contain a word, or all without words', () => {
  const names = ['kill -9', 'full disk', 'full moon'];
  expect(selectNames(names, [])).toEqual(names);
  expect(selectNames(names, ['full', 'disk'])).toEqual(['full disk', 'full moon']);
});

test('refuses a word that is part of no name, and lists the names', () => {
  expect(() => selectNames(['kill -9', 'full disk'], ['full', 'kil1'])).toThrow(
    '"kil1" is part of no name. There are:\nkill -9\nfull disk',
  );
});
