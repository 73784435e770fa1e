import { expect, test } from 'vitest';
import contract from '../../generated/contract.json' with { type: 'json' };
import { checks } from '../../conformance/checks/all.ts';
import { contractPage } from '../../tools/contract-page.ts';

type Response = { content?: { 'application/json': { examples: object } } };

const page = await contractPage();

/** Returns the part of the page from the heading that starts so to the next heading. */
const partOf = (heading: string) => page.split(`# ${heading}`)[1]!.split('\n#')[0]!;

test('has a part for each response of each operation, with all of its examples', () => {
  const responses = Object.values(contract.paths).flatMap((item) =>
    Object.values(item).flatMap((operation) =>
      Object.entries<Response>(operation.responses).map(([status, { content }]) => ({
        heading: `${operation.operationId} ${status}: `,
        examples: Object.keys(content?.['application/json'].examples ?? {}),
      })),
    ),
  );
  expect(responses.length).toBeGreaterThan(20);
  for (const { heading, examples } of responses) {
    const shown = Array.from(
      partOf(heading).matchAll(/^`(\w+)`: .*\n\n```json/gm),
      ([, name]) => name,
    );
    expect([heading, shown]).toEqual([heading, examples]);
  }
});

test('says what the app shows for each response', () => {
  expect(partOf('login 401')).toContain(
    'The app shows: red banner: "The email or the password is not right."',
  );
  expect(partOf('registerUser 409')).toContain('The app shows: no message');
  expect(partOf('registerUser 201')).toContain('The app shows: the screen "Sign in"');
  expect(partOf('listProjects 500')).toContain('The app shows: an empty list');
});

test('lists headers and fields with their types and limits, and the checks of the kit', () => {
  expect(page).toMatch(/^- `Idempotency-Key`: string, optional.*`maxLength: 255`/m);
  expect(page).toMatch(/^- `title`: string, \*\*required\*\*.*`maxLength: 10000`/m);
  expect(page).toMatch(/^`POST \/api\/v1\/projects` Needs a session\.$/m);
  expect(page).toMatch(/^`POST \/api\/v1\/auth\/login` Needs no session\.$/m);
  expect(partOf('listProjects 200')).toContain('- `[].id`: string or integer');
  for (const { id } of checks) expect(page).toMatch(new RegExp(`^\\| ${id} +\\| `, 'm'));
});
