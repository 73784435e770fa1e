import { expect, onTestFinished, test } from 'vitest';
import { UsageError } from '../../shared/usage-error.ts';
import { help, parseArguments } from '../command/options.ts';
import { checkReachable, parseTarget } from '../command/target.ts';
import { portOf } from '../http/transport.ts';
import { noResponse, startStubServer } from './backends/stub-server.ts';

test('--help fits 80 columns', () => {
  expect(help.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

const url = 'http://localhost';

test.each([
  [[url, '--onyl', 'XSRF'], ["Unknown option '--onyl'."]],
  [[url, '--report'], ["Option '--report <value>' argument missing."]],
  [[url, '--report', '--wait'], ["Option '--report' argument is ambiguous."]],
  [[url, '--report='], ['--report needs a folder.']],
  [[url, '--wait=yes'], ["Option '--wait' does not take an argument."]],
  [
    [url, '--origin', 'app'],
    ['--origin must be a URL such as https://app.example.org, but is "app".'],
  ],
  [
    ['--only', 'NOTHING-1'],
    [
      'ADDRESS is missing. Example: npx tracker-conformance http://localhost:8080',
      '--only: there is no check "NOTHING-1". See --list.',
    ],
  ],
])('names every mistake in the arguments %j', (options, errors) => {
  const parse = () => parseArguments(options, ['XSRF-1']);
  expect(parse).toThrow(new UsageError([...errors, 'See --help.'].join('\n')));
});

test('without options, all checks run, within 15 minutes', () => {
  const settings = {
    address: url,
    only: [],
    limitMs: 15 * 60_000,
    isPatient: false,
    verbose: false,
  };
  expect(parseArguments([url], [])).toEqual({ kind: 'run', settings });
  const patient = parseArguments([url, '--wait'], []);
  expect(patient).toMatchObject({ settings: { limitMs: Infinity, isPatient: true } });
});

test.each([
  ['http://localhost:8080', 'http://localhost:8080'],
  ['http://localhost:8080/', 'http://localhost:8080'],
  ['http://localhost:8080/api/v1/', 'http://localhost:8080'],
  ['localhost:8080', 'http://localhost:8080'],
  ['8080', 'http://localhost:8080'],
  [':8080', 'http://localhost:8080'],
  ['https://api.example.org/api', 'https://api.example.org'],
])('parses the address %s as %s', (address, origin) => {
  expect(parseTarget(address)).toBe(origin);
});

test.each([
  ['http://localhost:8080', 8080],
  ['http://api.example.org', 80],
  ['https://api.example.org', 443],
])('connects to %s at port %i', (origin, port) => {
  expect(portOf(origin)).toBe(port);
});

test('a server without TLS does not speak https', async () => {
  const { origin, stop } = await startStubServer(() => noResponse);
  onTestFinished(stop);
  const connected = checkReachable(origin.replace('http:', 'https:'));
  await expect(connected).rejects.toThrow('does not speak https. Try http:// instead.');
});

test.each(['ftp://localhost', 'http://', 'http://localhost/tracker', 'http://me:secret@localhost'])(
  'rejects the address %s with a reason',
  (address) => {
    expect(() => parseTarget(address)).toThrow(UsageError);
  },
);

test('--only selects a group or an id, but not an id that only starts with the same text', () => {
  const ids = ['XSRF-1', 'XSRF-12', 'TEXT-1'];
  const parsed = parseArguments([url, '--only', 'xsrf-1'], ids);
  expect(parsed).toMatchObject({ kind: 'run', settings: { only: ['XSRF-1'] } });
  expect(() => parseArguments([url, '--only', 'XSR'], ids)).toThrow('there is no check "XSR"');
});
