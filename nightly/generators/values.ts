/** What every client, validator and mock that is made from the contract must pass on. */

/** Titles and descriptions that each backend stores. */
export const texts = [
  'Website relaunch',
  '🐎👩‍👩‍👧',
  'שלום مرحبا',
  'e\u0301 \u202e\ufeff\u2028',
  '0',
  ' \n\tindented\r\n',
  '<b>&amp;</b> \'"; --',
  '🐎'.repeat(5_000),
];

/** A description. */
export const longText = 'x'.repeat(100_000);

/** Sent, so that the user reads why the backend refuses them. */
export const refusedTexts = ['NUL \0', 'half \ud83d'];

const emails = [
  'ada@example.org',
  'root@localhost',
  'ada@münchen.example',
  'ada@xn--mnchen-3ya.example',
  ".!#$%&'*+/=?^_`{|}~-@x",
];

const ids = [
  '7d1f0c52-4f0e-4d8f-9a55-0d6c1f6f2b11',
  '0',
  'é 😀',
  'x'.repeat(300),
  0,
  -7,
  2 ** 53 - 1,
];

export type CaseName = 'credentials' | 'newProject' | 'list' | 'error';

const allTexts = [...texts, longText, ...refusedTexts];
const project = { id: 'x', title: 'x', description: 'x' };

/** Bodies that a validator must accept. */
export const validBodies: Record<CaseName, unknown[]> = {
  credentials: [
    ...emails.map((email) => ({ email, password: 'correct horse' })),
    { email: 'ada@example.org', password: '🐎🐎🐎🐎🐎🐎🐎🐎\0' },
  ],
  newProject: allTexts.map((description) => ({ title: 'x', description })),
  list: [
    [],
    ids.map((id) => ({ ...project, id })),
    allTexts.map((text) => ({ ...project, title: text, description: text })),
    Array.from({ length: 10_000 }, (_, id) => ({ ...project, id, isArchived: false })),
  ],
  error: [
    { message: 'Title is required.' },
    { message: '标题 😀', code: 'TITLE', errors: [{ path: '/title' }] },
  ],
};

/** Bodies that a validator must refuse. */
export const invalidBodies: Record<CaseName, unknown[]> = {
  credentials: [null, {}, { email: 'ada@example.org' }, { email: 7, password: 'correct horse' }],
  newProject: [null, [], {}, { title: 'x' }, { title: 7, description: 'x' }],
  list: [null, {}, [null], [{ ...project, id: null }], [{ ...project, id: true }], [{ id: 'x' }]],
  error: [{}, { message: 7 }, { detail: 'x' }],
};
