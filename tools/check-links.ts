/**
 * Checks what documents name: the target and the heading of a relative link, a path of the project
 * in backquotes, the script of an `npm run` command, and the file of a `node` command. Capitals are
 * placeholders.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { headingAnchor } from './markdown.ts';
import { root } from './run.ts';

/** Documents about files that are gone, or to be written. */
const withoutPaths = /^(docs\/decisions\/|docs\/adding-a-call\.md$|CHANGELOG\.md$)/;

/** The files that a link may lead to, and the scripts of package.json. */
export type Project = {
  /** Returns the text of a file, '' for a folder, undefined if there is neither. */
  read: (path: string) => string | undefined;
  scripts: string[];
};

/** Returns the problems of this project, one per line. */
export async function linkProblems(): Promise<string[]> {
  const files = globSync(['**/*.{md,ts,tsx,js}', '.github/**/*.{md,yml}', '.ci/run'], {
    cwd: root,
    exclude: ['**/node_modules', '**/dist', 'tests/out', 'tests/tools'],
  }).toSorted();
  const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
    scripts: object;
  };
  const project = { read: readProjectFile, scripts: Object.keys(scripts) };
  return files.flatMap((file) => problemsIn(file, readProjectFile(file) ?? '', project));
}

/** Returns the problems in one document. */
export function problemsIn(file: string, source: string, { read, scripts }: Project): string[] {
  const isMarkdown = file.endsWith('.md');
  return source.split('\n').flatMap((line, index) => {
    const location = `${file}:${index + 1}`;
    const links = isMarkdown ? [...line.matchAll(/\]\(([^)\s]+)\)/g)] : [];
    const paths =
      isMarkdown && !withoutPaths.test(file) ? [...line.matchAll(/`([^`\s]+)(?: [^`]*)?`/g)] : [];
    return [
      ...links.flatMap(([, link = '']) => {
        const problem = /^[a-z]+:/.test(link) ? undefined : linkProblem(file, link, read);
        return problem ? [`${location}: ${problem}`] : [];
      }),
      ...paths
        .map(([, path = '']) => path)
        .filter((path) => projectPath.test(path))
        .filter((path) => read(path) === undefined && read(join(dirname(file), path)) === undefined)
        .map((path) => `${location}: there is no ${path}`),
      ...[...line.matchAll(/npm run (?:-s )?([\w:-]+)/g)]
        .map(([, script = '']) => script)
        .filter((script) => !/[A-Z]/.test(script) && !scripts.includes(script))
        .map((script) => `${location}: package.json has no script "${script}"`),
      ...[...line.matchAll(nodeCommand)]
        .filter(([, path = '']) => read(path) === undefined)
        .map(([, path]) => `${location}: there is no ${path}`),
    ];
  });
}

/** A path below a folder of the project, without placeholders, that no command writes. */
const projectPath =
  /^(?!tests\/out\/)(conformance|docs|machines|model|server|src|tests|tools|\.ci|\.github)\/[\w./-]*$/;

/** A command that runs a file of the project, also as `npm run node -- FILE`. */
const nodeCommand = /\bnode (?:-- )?((?:conformance|server|tests|tools)\/[\w./-]+\.[jt]s)\b/g;

function linkProblem(file: string, link: string, read: Project['read']): string | undefined {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? file : join(dirname(file), decodeURI(path));
  const text = read(target);
  if (text === undefined) return `the link ${link} leads to no file`;
  if (!anchor || !target.endsWith('.md')) return undefined;
  return anchorsOf(text).has(anchor) ? undefined : `${target} has no heading for #${anchor}`;
}

function anchorsOf(page: string): Set<string> {
  const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  const ids = [...page.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id);
  return new Set([...headings.map(headingAnchor), ...ids]);
}

function readProjectFile(path: string): string | undefined {
  if (!existsSync(root + path)) return undefined;
  try {
    return readFileSync(root + path, 'utf8');
  } catch {
    return ''; // a folder
  }
}
