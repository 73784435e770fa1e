/** The words of the sentences that teams read, from responses alone. */
import { expect, test } from 'vitest';
import type { Exchange } from '../http/record.ts';
import type { ApiCall } from '../http/simulated-browser.ts';
import type { CheckFailed } from '../problems/problem.ts';
import { failOnFaults } from '../problems/fail-on-faults.ts';
import {
  accessFault,
  findMessageFault,
  listFault,
  sentenceFault,
  textFault,
} from '../problems/matchers.ts';

const exchangeOf = (status: number, text: string) =>
  ({
    request: { method: 'GET', path: '/', headers: {} },
    response: { status, headers: [], bytes: Buffer.from(text), text },
  }) as unknown as Exchange;

test.each([
  ['', 'the body is empty'],
  ['<h1>Not found</h1>', 'the body is an HTML page'],
  ['Warning: x [1]', 'the body is not JSON but JSON after "Warning: x"'],
  ['[{"id":1,', 'the body is not JSON but the beginning of JSON'],
  ['[\0]', 'the body is not JSON but UTF-16 instead of UTF-8'],
  ['null', 'the body is null, not an array'],
  ['{"data":[]}', 'the array is wrapped in an object, as "data"'],
  ['[1]', 'project 1 of 1: it is the number 1, not an object'],
  ['[{"project":{"title":"A"}}]', 'project 1 of 1: it is wrapped in an object, as "project"'],
  [
    '[{"id":1,"title":"A","description":"B"},{"id":2,"title":"A"}]',
    'project 2 of 2: "description" is missing (it has "id", "title")',
  ],
  [
    '[{"id":{},"title":"A","description":"B"}]',
    'project 1 of 1: "id" is an object, not a string or a number',
  ],
])('of the list %j, %s', (text, fault) => {
  expect(listFault({ exchange: exchangeOf(200, text) } as ApiCall)).toBe(fault);
});

test.each([
  ['{"message":"No."}', undefined],
  ['{"message":""}', 'its "message" is empty'],
  ['{"message":["No."]}', 'its "message" is an array, not a string'],
  ['["No."]', 'the body is an array, not an object'],
  ['{}', 'the body has no "message"'],
  ['{"title":[],"detail":"No."}', 'the body has no "message"; it has "title", "detail"'],
])('of the refusal %j, %s', (text, fault) => {
  expect(findMessageFault(exchangeOf(400, text))?.[0]).toBe(fault);
});

test.each([
  ['Café', 'Cafe\u0301', 'normalized to the Unicode form NFD'],
  ['Cafe\u0301', 'Café', 'normalized to the Unicode form NFC'],
  ['ﬁne', 'fine', 'normalized to the Unicode form NFKC'],
  [' a  b', ' a b', 'without repeated spaces (each run of spaces became one)'],
  ['=1', "'=1", 'sent back with "\'" before =, +, - or @, as for CSV'],
  ['a%2Bb', 'a+b', 'URL-decoded'],
  [String.raw`a\nb`, 'a\nb', String.raw`with the two characters \n turned into a line break`],
  ['a"b', String.raw`a\"b`, 'with a backslash before quotes'],
  ["a'b", "a''b", 'with each quote twice, as in SQL'],
  ['é', 'Ã©', 'decoded as Latin-1, not as UTF-8'],
  ['a <b>c', 'a c', 'without tags'],
  ['a 🚀', 'a ?', 'without four-byte characters (emoji)'],
  ['é 字', 'é ?', 'without characters outside Latin-1'],
  ['aé字', 'a??', 'without characters outside ASCII'],
  ['a\r\nb', 'a\nb', 'with other line breaks'],
  ['a\tb', 'a b', 'with other white space'],
  ['Ab', 'ab', 'in another letter case'],
  [' a ', 'a', 'trimmed'],
  ['a & b', 'a &amp; b', 'HTML-escaped'],
  ['1e3', '1000', 'read as JSON, not as text'],
  ['abcd', 'ab', 'cut at 2 characters'],
  ['a/b', 'ab', 'without "/"'],
  ['a\u0001b', 'ab', 'without U+0001'],
  ['a-b', 'a_b', 'sent back with "_" in place of "-"'],
  ['a$&b', 'aab', 'changed at "$", as by String.replace'],
  ['abc', 'xyz', 'changed at "a"'],
])('the text %j that comes back as %j is %s', (sent, received, words) => {
  expect(textFault(sent, received).words).toBe(words);
});

test.each([
  ['This email is in use.', undefined],
  ['undefined method `id` for nil', 'is the text of an exception'],
  ['translation missing: en.title', 'is a missing translation'],
  ['<p>No.</p>', 'contains markup'],
  ['No.<br/>Try again.', 'contains markup'],
  ['<img src="no.png" alt=""> No.', 'contains markup'],
  ['<p>No. <li>Try again.', 'contains markup'],
  ['Please <try again> & check.', undefined],
  ['The {{field}} is wrong.', 'has an empty placeholder'],
  ['[object Object]', 'is no text'],
  ["['Title is required.']", 'is no text'],
  ['{"title"=>["No."]}', 'is no text'],
  ['Array', 'is no text'],
  ['map[title:No.]', 'is no text'],
  ['[Title] is required.', undefined],
  ['ValueError: no', 'is the name of an exception'],
  ['1 validation error for Project', 'is the output of a validator'],
  ['error.api.401', 'is a code'],
])('the message %j %s', (message, fault) => {
  expect(sentenceFault(exchangeOf(400, JSON.stringify({ message })))).toBe(fault);
});

test.each([
  [true, '{"title":"A"}', 'The body is not valid JSON.', 'calls valid JSON invalid'],
  [true, '{"title":"A"}', 'Malformed request body', 'calls valid JSON invalid'],
  [true, '{"title":"A"}', 'Unexpected end of input', 'calls valid JSON invalid'],
  [true, '{"title":"A"}', 'The body has an unexpected field.', undefined],
  [true, String.raw`{"title":"\ud800"}`, 'The body is not valid JSON.', undefined],
  [false, '{"title":', 'The body is not valid JSON.', undefined],
])('of an app: %s, with %s, %j %s', (isAppRequest, body, message, fault) => {
  const exchange = exchangeOf(400, JSON.stringify({ message }));
  Object.assign(exchange, { isAppRequest, request: { ...exchange.request, body } });
  expect(sentenceFault(exchange)).toBe(fault);
});

test.each([
  ['*', 'true', 'Idempotency-Key, Content-Type', "allows the origin *, not the app's"],
  ['http://app', 'no', 'content-type', 'has no Access-Control-Allow-Credentials: true'],
  ['http://app', 'true', 'content', 'does not allow the header content-type and idempotency-key'],
  ['http://app', 'true', 'Idempotency-Key,Content-Type', undefined],
])('a preflight response with %s, %s and %s: %s', (origin, credentials, names, fault) => {
  const exchange = exchangeOf(204, '');
  exchange.request.method = 'OPTIONS';
  exchange.request.headers['access-control-request-headers'] = 'content-type,idempotency-key';
  exchange.response!.headers.push(
    ['access-control-allow-origin', origin],
    ['access-control-allow-credentials', credentials],
    ['access-control-allow-headers', names],
  );
  expect(accessFault(exchange, 'http://app')).toBe(fault);
});

test('a problem of an operation counts the requests with its status', async () => {
  const exchanges = [200, 400, 500, 400].map((status) => exchangeOf(status, ''));
  const faultOf = ({ response }: Exchange) => (response!.status === 200 ? undefined : 'fails');
  const judge = async () => failOnFaults(exchanges, () => true, faultOf);
  const thrown = await judge().catch((error: unknown) => error);
  expect((thrown as CheckFailed).problems.map(({ detail }) => detail)).toEqual([
    'So in 2 of 4 requests, each at once with others.',
    'So in 1 of 4 requests.',
  ]);
});
