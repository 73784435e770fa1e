import { expect, test } from 'vitest';
import { differences, parseSpeech } from '../../nightly/screen-reader/transcript.ts';

test("returns the texts of Orca's speech, without voices, events and repeated spaces", () => {
  const output = [
    "19:40:01.1 - SPEECH OUTPUT: 'Loading.  Please wait.'{'established': False}",
    '19:40:01.2 - EVENT MANAGER: Queueing object:state-changed:focused [entry | Email]',
    "19:40:01.3 - SPEECH OUTPUT: 'It's 2 projects. '{'established': False}",
    "19:40:01.4 - SPEECH OUTPUT: 'grayed' {'established': False}",
    "19:40:01.5 - SPEECH OUTPUT: '10 characters'[{'established': False}]",
    "19:40:01.6 - SPEECH OUTPUT: 'first",
    "                  second'{'established': False}",
  ].join('\n');
  expect(parseSpeech(output)).toEqual([
    'Loading. Please wait.',
    "It's 2 projects.",
    'grayed',
    '10 characters',
    'first second',
  ]);
});

test('reports no difference between equal transcripts', () => {
  expect(differences('a\nb\n', 'a\nb\n')).toEqual([]);
});

test('reports the lines that are new or missing, with two equal lines around them', () => {
  const expected = 'a b c d e f g h i j k'.replaceAll(' ', '\n');
  const actual = 'a b c x d e f g h i k'.replaceAll(' ', '\n');
  expect(differences(expected, actual)).toEqual([
    '  b',
    '  c',
    '+ x',
    '  d',
    '  e',
    '  h',
    '  i',
    '- j',
    '  k',
  ]);
});

test('ignores the order of what was said after one step, but not its step', () => {
  const expected = '[press Tab]\nEmail\nFocus mode\n[press Return]\nbusy\n';
  const reordered = '[press Tab]\nFocus mode\nEmail\n[press Return]\nbusy\n';
  const moved = '[press Tab]\nEmail\n[press Return]\nbusy\nFocus mode\n';
  expect(differences(expected, reordered)).toEqual([]);
  expect(differences(expected, moved)).toContain('- Focus mode');
});
