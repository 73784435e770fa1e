/** Commands of a shell, as data and as text. */

/** A text of a command: parts that stay as they are, and values that the shell puts in. */
export type Text = (string | Value)[];

export type Value =
  | { kind: 'run' | 'count' }
  | { kind: 'token'; file: string }
  | { kind: 'cookie'; file: string; name: string; filter: string | undefined };

/** One request. */
export type Command = {
  flags: string[];
  /** A cookie file, or the cookies themselves. */
  cookies: { file: string } | { text: Text };
  /** The file for the cookies of the response. */
  writtenFile: string | undefined;
  headers: Text[];
  body: Body | undefined;
  url: Text;
  /** How often to send it, without output. Default: once. */
  count: number | undefined;
};

/** A body: a text, bytes as a format of printf, or a text in which a part repeats. */
export type Body =
  | { text: Text }
  | { format: Text }
  | { before: Text; unit: Text; count: number; after: Text };

const freshRun = 'cd "$(mktemp -d)"; RUN=0$(date +%s)   # cookie files, and emails that are new';

const functions = {
  token: String.raw`token() { awk '$6 == "XSRF-TOKEN" { print $7 }' "$1" | sed 's/%2[Bb]/+/g; s/%2[Ff]/\//g; s/%3[Dd]/=/g'; }`,
  cookie: String.raw`cookie() { awk -v name="$2" '$6 == name { print $7 }' "$1"; }`,
};

/** Renders commands that run one batch after another, each batch at once. */
export function renderScript(batches: { waitSeconds: number; commands: Command[] }[]): string[] {
  const lines = batches.flatMap(({ waitSeconds, commands }) => [
    ...(waitSeconds > 0 ? [`sleep ${waitSeconds}`] : []),
    ...commands.map((each) => `${renderCommand(each)}${commands.length > 1 ? ' &' : ''}`),
    ...(commands.length > 1 ? ['wait'] : []),
  ]);
  const kinds = new Set(batches.flatMap(({ commands }) => commands.flatMap(valuesOf)));
  const needed = (['token', 'cookie'] as const).filter((kind) => kinds.has(kind));
  return [freshRun, ...needed.map((kind) => functions[kind]), ...lines];
}

/** Returns the kinds of values in the cookies and headers of a command. */
const valuesOf = ({ cookies, headers }: Command): Value['kind'][] =>
  [...('text' in cookies ? [cookies.text] : []), ...headers]
    .flat()
    .flatMap((part) => (typeof part === 'string' ? [] : part.kind));

function renderCommand(command: Command): string {
  const { flags, cookies, writtenFile, headers, body, url, count } = command;
  const input = body && renderInput(body);
  const curl = [
    count === undefined ? String.raw`curl -si -w '\n%{time_total} s\n'` : 'curl -so /dev/null',
    ...flags,
    `-b ${'file' in cookies ? cookies.file : render(cookies.text)}`,
    ...(writtenFile === undefined ? [] : [`-c ${writtenFile}`]),
    ...headers.map((header) => `-H ${render(header)}`),
    ...(body && 'text' in body ? [`--data-raw ${render(body.text)}`] : []),
    ...(input === undefined ? [] : ['--data-binary @-']),
    render(url),
  ].join(' ');
  const line = input === undefined ? curl : `${input} | ${curl}`;
  return count === undefined ? line : `for n in $(seq ${count}); do ${line}; done`;
}

/** Returns a command that prints a body that is no argument. */
function renderInput(body: Body): string | undefined {
  if ('format' in body) return `printf ${render(body.format)}`;
  if (!('unit' in body)) return undefined;
  const repeated = `yes ${render(body.unit)} | head -n ${body.count} | tr -d '\\n'`;
  return `{ printf %s ${render(body.before)}; ${repeated}; printf %s ${render(body.after)}; }`;
}

const render = (text: Text): string =>
  text.length === 0
    ? "''"
    : text.map((part) => (typeof part === 'string' ? quote(part) : `"${expand(part)}"`)).join('');

function expand(value: Value): string {
  if (value.kind === 'token') return `$(token ${value.file})`;
  if (value.kind !== 'cookie') return { run: '$RUN', count: '$n' }[value.kind];
  const filter = value.filter === undefined ? '' : ` | ${value.filter}`;
  return `$(cookie ${value.file} ${quote(value.name)}${filter})`;
}

const quote = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
