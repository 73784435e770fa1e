import { escapeMarkup } from '../../../../conformance/report/html.ts';
import {
  changeList,
  changeProjects,
  changeProjectText,
  createFaults,
  errorResponse,
  htmlPage,
  interceptRequests,
  interceptResponses,
  isOperation,
  isProjectOperation,
  jsonObjectOf,
  sessionOf,
  withBody,
  withHeaders,
  type FaultTable,
} from '../fault-builders.ts';
import type { Middleware } from '../fault-proxy.ts';

/** Faults that change the text of projects. */
export const textFaults: FaultTable[] = [
  createFaults(changeProjectText, {
    'the server HTML-escapes text [TEXT-1]': escapeMarkup,
    'the server removes tags from text [TEXT-1]': (text) => text.replaceAll(/<[^>]*>/g, ''),
    'the server replaces emoji with question marks [TEXT-2]': (text) =>
      text.replaceAll(/[\u{10000}-\u{10FFFF}]/gu, '?'),
    'the server replaces non-Latin characters with question marks [TEXT-2, TEXT-3]': (text) =>
      text.replaceAll(/[^\0-\xff]/g, '?'),
    'the server replaces line breaks with spaces [TEXT-4]': (text) => text.replaceAll('\n', ' '),
    'the server truncates descriptions to 5,000 characters [TEXT-5]': (text, field) =>
      field === 'description' ? text.slice(0, 5000) : text,
    'the server truncates titles to 255 characters [TEXT-6]': (text, field) =>
      field === 'title' ? text.slice(0, 255) : text,
    'the server makes one space of several [TEXT-17]': (text) => text.replaceAll(/ +/g, ' '),
    'the server inserts text with String.replace [TEXT-8]': (text) => '{}'.replace('{}', text),
    'the server removes backslashes [TEXT-8]': (text) => text.replaceAll('\\', ''),
    'the server replaces plus signs with spaces [TEXT-8]': (text) => text.replaceAll('+', ' '),
    'the server turns URLs in text into links [TEXT-8]': (text) =>
      text.replaceAll(/https?:\S+/g, '<a href="$&">$&</a>'),
    'the server writes an apostrophe before = [TEXT-8]': (text) => text.replace(/^=/, "'="),
    'the server replaces quotes with typographic ones [TEXT-1]': (text) =>
      text.replaceAll(/"(.*?)"/g, '“$1”'),
    'the server cuts text at the first four-byte character [TEXT-2]': (text) =>
      text.replace(/[\u{10000}-\u{10FFFF}][^]*/u, ''),
    'the server truncates titles to 500 characters [TEXT-13]': (text, field) =>
      field === 'title' ? text.slice(0, 500) : text,
    'the server takes "-" for an empty text [TEXT-12]': (text) => (text === '-' ? '' : text),
    'the server removes NUL characters [TEXT-15]': (text) => text.replaceAll('\0', ''),
    'the server trims text [TEXT-9]': (text) => text.trim(),
    'the server removes directional marks [TEXT-3]': (text) =>
      text.replaceAll(/[\u200E\u200F]/g, ''),
    'the server normalizes text (NFC) [TEXT-10]': (text) => text.normalize('NFC'),
    'the server normalizes text (NFKC) [TEXT-2, TEXT-10]': (text) => text.normalize('NFKC'),
  }),
  createFaults(changeProjects, {
    'the server returns titles made of digits as numbers [TEXT-7]': (project) =>
      /^\d+$/.test(project.title) ? { ...project, title: Number(project.title) } : project,
    'the server returns the title "null" as null [TEXT-7]': (project) =>
      project.title === 'null' ? { ...project, title: null } : project,
  }),
  createFaults(interceptRequests, {
    'the server takes "0" for a missing text [TEXT-7]': (request) =>
      isOperation(request, 'createProject') &&
      Object.values(jsonObjectOf(request)).includes('0') &&
      errorResponse(422, 'Title and description are required.'),
    'the server rejects emoji [TEXT-16]': (request) =>
      isOperation(request, 'createProject') &&
      /\p{Emoji_Presentation}/u.test(request.body) &&
      errorResponse(422, 'Please use letters only.'),
    'the server rejects texts of one character [TEXT-16]': (request) =>
      isOperation(request, 'createProject') &&
      Object.values(jsonObjectOf(request)).some((text) => String(text).length === 1) &&
      errorResponse(422, 'Please write at least two characters.'),
    'the server fails on percent signs [TEXT-8, ERR-20]': (request) =>
      isOperation(request, 'createProject') &&
      request.body.includes('%') &&
      errorResponse(500, 'Something went wrong.'),
    'the server fails on names of object members [TEXT-7]': (request) =>
      isOperation(request, 'createProject') &&
      String(jsonObjectOf(request)['title']) in {} &&
      errorResponse(500, 'Something went wrong.'),
    'the server fails on NUL characters [TEXT-14]': (request) =>
      isOperation(request, 'createProject') &&
      request.body.includes('\\u0000') &&
      errorResponse(500, 'Something went wrong.'),
  }),
  {
    'half a surrogate pair makes the list fail [TEXT-14]': () => failListAfter('\\ud83d'),
    'an emoji in a title makes the list fail [TEXT-2]': () => failListAfter('🚀'),
    'the server HTML-escapes titles in the list only [TEXT-1]': () =>
      changeList((projects) =>
        projects.map((project) => ({ ...project, title: escapeMarkup(project.title) })),
      ),
    'the server rejects a body of 100 kB with an HTML page [TEXT-11]': () =>
      interceptRequests(
        ({ body }) => body.length > 100_000 && htmlPage(413, 'Request Entity Too Large'),
      ),
    'the server encodes bodies as Latin-1 [REACH-6]': () =>
      interceptResponses((response, request) => {
        const latin1 = withBody(response, Buffer.from(String(response.body), 'latin1'));
        const headers = { 'content-type': 'application/json; charset=iso-8859-1' };
        return isProjectOperation(request) && withHeaders(latin1, headers);
      }),
  },
];

/** Responds with 500 to the lists of a session that has sent this text. */
function failListAfter(text: string): Middleware {
  const sessions = new Set<string>();
  return interceptRequests((request) => {
    if (request.body.includes(text)) sessions.add(sessionOf(request));
    return (
      isOperation(request, 'listProjects') &&
      sessions.has(sessionOf(request)) &&
      errorResponse(500, 'Something went wrong.')
    );
  });
}
