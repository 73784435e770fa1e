import {
  list,
  creating,
  fault,
  replies,
  successes,
  projectsLeaving,
  textsComing,
  type Project,
  page,
  escaped,
  type Fault,
} from '../fault-builders.ts';

/** What is done to text. */
export const textFaults: Fault[] = [
  fault('text is HTML-escaped', 'TEXT-1', textsComing(escaped)),
  fault(
    'tags are taken out of text',
    'TEXT-1',
    textsComing((text) => text.replaceAll(/<[^>]*>/g, '')),
  ),
  fault(
    'emoji become question marks',
    'TEXT-2',
    textsComing((text) => text.replaceAll(/[\u{10000}-\u{10FFFF}]/gu, '?')),
  ),
  fault(
    'text that is not Latin becomes question marks',
    'TEXT-3',
    textsComing((text) => text.replaceAll(/[^\0-\xff]/g, '?')),
  ),
  fault(
    'bodies are sent as Latin-1',
    'REACH-6',
    replies([list, creating], (reply) => ({
      ...reply,
      headers: { ...reply.headers, 'content-type': 'application/json; charset=iso-8859-1' },
      body: Buffer.from(String(reply.body), 'latin1'),
    })),
  ),
  fault(
    'line breaks become blanks',
    'TEXT-4',
    textsComing((text) => text.replaceAll('\n', ' ')),
  ),
  fault(
    'descriptions are cut off after 5000 characters',
    'TEXT-5',
    textsComing((text, key) => (key === 'description' ? text.slice(0, 5000) : text)),
  ),
  fault(
    'titles are cut off after 255 characters',
    'TEXT-6',
    textsComing((text, key) => (key === 'title' ? text.slice(0, 255) : text)),
  ),
  fault(
    'titles made of digits come back as numbers',
    'TEXT-7',
    projectsLeaving((project) => ({
      ...project,
      title: /^\d+$/.test(project.title) ? Number(project.title) : project.title,
    })),
  ),
  fault(
    'backslashes are eaten',
    'TEXT-8',
    textsComing((text) => text.replaceAll('\\', '')),
  ),
  fault(
    'plus signs become blanks',
    'TEXT-8',
    textsComing((text) => text.replaceAll('+', ' ')),
  ),
  fault(
    'addresses in text become links',
    'TEXT-8',
    textsComing((text) => text.replaceAll(/https?:\S+/g, '<a href="$&">$&</a>')),
  ),
  fault(
    'a title "null" comes back as null',
    'TEXT-7',
    projectsLeaving((project) => ({
      ...project,
      title: project.title === 'null' ? null : project.title,
    })),
  ),
  fault(
    'text is trimmed',
    'TEXT-9',
    textsComing((text) => text.trim()),
  ),
  fault(
    'text is normalised',
    'TEXT-10',
    textsComing((text) => text.normalize('NFKC')),
  ),
  fault(
    'text is changed in the list alone',
    'TEXT-1',
    successes([list], (body: Project[]) =>
      body.map((project) => ({ ...project, title: escaped(project.title) })),
    ),
  ),
  fault('a body of 100 kB is refused with a page', 'TEXT-11', () => ({
    request: (incoming) =>
      incoming.body.length > 100_000 ? page(413, 'Request Entity Too Large') : undefined,
  })),
];
