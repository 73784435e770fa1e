import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import contract from '../../../generated/contract.json' with { type: 'json' };
import { contractPage } from '../../../tools/contract-page.ts';

type Response = { content?: { 'application/json': { examples: object } } };

const page = await contractPage();

/** Returns the part of a page from an element with this id to the next element with an id. */
const partOf = (id: string, html = page) => html.split(` id="${id}"`)[1]!.split(' id="')[0]!;

test('has a part for each response of each operation, with all of its examples', () => {
  const responses = Object.values(contract.paths).flatMap((item) =>
    Object.values(item).flatMap((operation) =>
      Object.entries<Response>(operation.responses).map(([status, { content }]) => ({
        id: `${operation.operationId}-${status}`,
        examples: Object.keys(content?.['application/json'].examples ?? {}),
      })),
    ),
  );
  expect(responses.length).toBeGreaterThan(20);
  for (const { id, examples } of responses) {
    const shown = [...partOf(id).matchAll(/<figcaption>.*<code>(\w+)</g)].map(([, name]) => name);
    expect([id, shown]).toEqual([id, examples]);
  }
});

test('says what the app shows for each response', () => {
  expect(partOf('login-401')).toContain(
    'The app shows: red banner: &quot;The email or the password is not right.&quot;',
  );
  expect(partOf('registerUser-409')).toContain('The app shows: no message');
  expect(partOf('registerUser-201')).toContain('The app shows: the screen &quot;Sign in&quot;');
  expect(partOf('listProjects-500')).toContain('The app shows: an empty list');
});

test('lists headers and fields with their types and limits', () => {
  const part = partOf('createProject');
  expect(part).toMatch(/<code>Idempotency-Key<\/code><\/dt><dd>string, optional.*maxLength: 255/);
  expect(part).toMatch(/<code>title<\/code><\/dt><dd>string, <b>required<\/b>.*maxLength: 10000/);
  expect(part).toContain('Needs a session.');
  expect(partOf('login')).toContain('Needs no session.');
  expect(partOf('listProjects-200')).toContain('<code>[].id</code></dt><dd>string or integer');
});

test('renders headings and lists of the description, with a link to each heading', () => {
  const part = partOf('what-frameworks-get-wrong-by-default');
  expect(part).toMatch(/^>What frameworks get wrong by default<\/h3>\n<ul>\n<li><b>/);
  const items = [...part.matchAll(/<li><b>(.+?)<\/b>/g)].map(([, title]) => title);
  const contents = ['"0"', 'trimmed', 'null', 'CSRF', 'message', 'bcrypt', '2^53', 'unique index'];
  contents.push('Sessions', '404 and 405');
  for (const word of contents) expect(items.join('\n').replaceAll('&quot;', '"')).toContain(word);
  expect(page).toContain('<a href="#what-frameworks-get-wrong-by-default">');
});

test('has links to its own parts only', () => {
  const targets = [...page.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, target]) => target!);
  expect(targets.length).toBeGreaterThan(4);
  for (const target of targets) expect(page).toContain(` id="${target.replace(/^#/, '')}"`);
  expect(page).not.toMatch(/<script|<link|@import|url\(/);
});

test('shows markup in the contract as text', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'contract-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const source = await readFile('openapi.yaml', 'utf8');
  const edited = source
    .replace('summary: Sign in', 'summary: <i>Sign</i> in')
    .replace('The email or the password is not right.', '<i>"Not"</i> right.')
    .replace('The app reads the body', 'The <i>app</i> reads the body');
  await writeFile(join(folder, 'openapi.yaml'), edited);
  const html = await contractPage(join(folder, 'openapi.yaml'));
  expect(html).not.toContain('<i>');
  expect(html.match(/&lt;i&gt;/g)!.length).toBeGreaterThan(3);
});
