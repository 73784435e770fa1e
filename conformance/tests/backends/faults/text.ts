import { escapeMarkup } from '../../../report/html.ts';
import { eachText, maxLengthOf, textNames } from '../../../http/project-texts.ts';
import { jsonResponse, type Change } from '../backend.ts';
import * as change from '../changes.ts';
import { filteredLists } from './projects.ts';

const refused = (message: string, isRefused: (text: string) => boolean): Change =>
  change.requestsTo(
    'createProject',
    (request) =>
      Object.values(change.jsonOf(request)).some((text) => isRefused(String(text))) &&
      change.error(422, message),
  );

const toWellFormed = (text: unknown) => (typeof text === 'string' ? text.toWellFormed() : text);

const textsOf = (length: number) => change.storedText((text) => text.slice(0, length));

/** A JSON body is longer than its texts. */
const longestText = Math.max(...textNames.map(maxLengthOf));

export const textFaults: Record<string, Change> = {
  'TEXT-1: text is HTML-escaped': change.storedText(escapeMarkup),
  'TEXT-2: non-Latin characters are replaced with question marks': change.storedText((text) =>
    text.replaceAll(/[^\0-\xff]/g, '?'),
  ),
  'TEXT-2: a project with an emoji is stored twice': change.before(
    'created',
    ({ accounts, createId }, project) => {
      for (const { projects } of accounts.values())
        if (projects.includes(project) && /\p{Emoji_Presentation}/u.test(JSON.stringify(project)))
          projects.push({ ...project, id: createId() });
    },
  ),
  'TEXT-1: text is HTML-escaped in lists only': () => ({
    listOf: ({ projects }) =>
      projects.map((project) => ({
        ...project,
        ...eachText((name) => escapeMarkup(project[name])),
      })),
  }),
  'TEXT-2: an emoji in a project makes its list fail': change.after(
    'listProjects',
    ({ body }) => /\p{Emoji_Presentation}/u.test(String(body)) && change.error(500),
  ),
  'TEXT-2: text is normalized (NFKC)': change.storedText((text) => text.normalize('NFKC')),
  'TEXT-3: directional marks are removed': change.storedText((text) =>
    text.replaceAll(/[\u200E\u200F]/g, ''),
  ),
  'TEXT-4: line breaks are replaced with spaces': change.storedText((text) =>
    text.replaceAll('\n', ' '),
  ),
  'TEXT-5: texts are truncated to 9,000 characters': textsOf(9000),
  'TEXT-18: texts are truncated to 5,000 characters': textsOf(5000),
  'TEXT-6: texts are truncated to 255 characters': textsOf(255),
  'TEXT-3: texts are cut at 255 bytes': change.storedText((text) =>
    Buffer.from(text).subarray(0, 255).toString(),
  ),
  'TEXT-7: texts made of digits are returned as numbers': () => ({
    created(project) {
      const toNumber = (text: string) => (/^\d+$/.test(text) ? Number(text) : text);
      return jsonResponse(201, { ...project, ...eachText((name) => toNumber(project[name])) });
    },
  }),
  'TEXT-7: a list without the text "0" becomes an object': filteredLists(
    (project) => !textNames.some((name) => project[name] === '0'),
  ),
  'TEXT-7: "0" is taken for a missing text': refused(
    'Each text is required.',
    (text) => text === '0',
  ),
  'TEXT-8: text is inserted with String.replace': change.storedText((text) =>
    '{}'.replace('{}', text),
  ),
  'TEXT-9: text is trimmed': change.storedText((text) => text.trim()),
  'TEXT-3: text is trimmed, also of marks of direction': change.storedText((text) =>
    text.replaceAll(/^[\s\p{Cf}]+|[\s\p{Cf}]+$/gu, ''),
  ),
  'TEXT-10: text is normalized (NFC)': change.storedText((text) => text.normalize('NFC')),
  'TEXT-11: the longest body is refused with an HTML page': change.requests(
    ({ body }) => body.length > longestText && change.htmlPage(413, 'Request Entity Too Large'),
  ),
  'TEXT-12: "-" is taken for an empty text': change.storedText((text) =>
    text === '-' ? '' : text,
  ),
  'TEXT-13: texts are truncated to 500 characters': textsOf(500),
  'TEXT-14: half a surrogate pair makes the list fail': ({ findProjectFault }) =>
    change.all(
      () => ({
        findProjectFault: (texts) =>
          findProjectFault(eachText((name) => toWellFormed(texts[name]))),
      }),
      change.after(
        'listProjects',
        ({ body }) => String(body).includes(String.raw`\ud83d`) && change.error(500),
      ),
    ),
  'TEXT-15: NUL characters are removed': change.storedText((text) => text.replaceAll('\0', '')),
  'TEXT-16: a maximum counts bytes': refused(
    'At most 255 characters, please.',
    (text) => Buffer.byteLength(text) > 255,
  ),
  'TEXT-9: control characters are removed': change.storedText((text) =>
    text.replaceAll(/[\v\f]/g, ''),
  ),
  'TEXT-9: a control character becomes a space': change.storedText((text) =>
    text.replaceAll('\u0007', ' '),
  ),
  'TEXT-16: brackets are refused': refused('No brackets, please.', (text) => /[[\]]/.test(text)),
  'TEXT-16: texts of one character are refused': refused(
    'Please write at least two characters.',
    ({ length }) => length === 1,
  ),
  'TEXT-18: each part of a body is decoded alone': change.requests((request) => {
    const bytes = Buffer.from(request.body);
    const parts = [bytes.subarray(0, 8192), bytes.subarray(8192)];
    return { ...request, body: parts.map(String).join('') };
  }),
  'TEXT-17: several spaces become one': change.storedText((text) => text.replaceAll(/ +/g, ' ')),
};
