import { sep } from 'node:path';

// What env files, shells and copying leave in a setting. Taken literally, it can name another
// folder, in which the server would start with an empty database.

interface Mistake {
  pattern: RegExp;
  /** Completes the name of the setting. */
  rule: string;
  /** Applies to these settings only. */
  settings?: string[];
}

const folders = ['DATA_DIR', 'DIST_DIR'];
const secrets = ['DATABASE_URL'];
/** Without one of these, the server starts with other data. */
const dataSettings = ['DATA_DIR', 'DATABASE_URL'];

const quotes = '["\'`\u00b4\u00ab\u00bb\u2018-\u201f\u2032-\u2036\u2039\u203a]';
const literalVariable = 'must not contain a variable, because nothing replaces it';

const mistakes: Mistake[] = [
  { pattern: /^\s|\s$/, rule: 'must not start or end with a blank or a line break' },
  {
    // Letters of some languages need the joiners U+200C and U+200D.
    pattern: /[\p{Cc}\u00a0\u2007\u202f\ufffd]|(?![\u200c\u200d])[\p{Cf}\p{Zl}\p{Zp}]/u,
    rule: 'must not contain an invisible or broken character',
  },
  { pattern: new RegExp(`^\\\\?${quotes}|${quotes}$`), rule: 'must not be in quotation marks' },
  { pattern: /\s#(?!\d)/, rule: 'must not be followed by a comment', settings: folders },
  // In a URL, "@" follows a password with "#".
  { pattern: /\s#(?!\d)[^@]*$/, rule: 'must not be followed by a comment' },
  {
    pattern: /^(?:undefined|null|none|nil|nan|\(null\)|\[object \w+\])$/i,
    rule: 'must be a value, or empty for the default',
  },
  { pattern: /^=|^:\s|^(?:export|set|env|-e)\s/i, rule: 'must be the value alone' },
  {
    pattern: /\$[{(]/,
    rule: `${literalVariable}, and needs a "$" in the password encoded as %24`,
    settings: secrets,
  },
  { pattern: /\$[{(]/, rule: literalVariable },
  { pattern: /\$\w|%\w+%|\{\{/, rule: literalVariable, settings: folders },
  {
    pattern: /^~/,
    rule: 'must not start with "~", because only shells replace it',
    settings: folders,
  },
  { pattern: /[;,]$/, rule: 'must not end with a comma or semicolon', settings: folders },
  {
    pattern: sep === '/' ? /:[\\/]|^\\/ : /^..+:[\\/]/,
    rule: 'must be the path of a folder on this machine',
    settings: folders,
  },
  {
    pattern: /[\\/]tracker\.sqlite\S*$/,
    rule: 'must be the folder of the file',
    settings: folders,
  },
];

/** Returns a sentence about a value that cannot be meant. Omits values that contain a password. */
export function mistakeInValue(
  name: string,
  value: string,
  allNames: string[],
): string | undefined {
  const assignment = new RegExp(`^(?:${allNames.join('|')})\\s*=`);
  const mistake = mistakes.find(
    ({ pattern, settings = allNames }) => settings.includes(name) && pattern.test(value),
  );
  const rule = assignment.test(value) ? 'must be the value alone' : mistake?.rule;
  if (!rule) return undefined;
  return `${name} ${rule}${secrets.includes(name) ? '' : `, but is ${show(value)}`}.`;
}

/**
 * Returns sentences about names of variables that are meant as settings: with `export`, with
 * invisible characters, as in the first line of some files, or with a typing error.
 */
export function mistakesInNames(
  environment: Record<string, string | undefined>,
  allNames: string[],
): string[] {
  return Object.keys(environment).flatMap((key) => {
    const bare = key.replace(/^(?:export|set)\s+/i, '').replaceAll(/\W/g, '');
    const meant = allNames.includes(bare)
      ? bare
      : dataSettings.find((name) => !environment[name] && isAlmost(name, key));
    if (!environment[key] || !meant || meant === key) return [];
    return `The setting ${show(key)} must be named ${meant}.`;
  });
}

/** Returns true if at most one character differs, is missing or is added, apart from case. */
function isAlmost(name: string, text: string): boolean {
  const patterns = Array.from(name, (_, i) => `${name.slice(0, i)}.{0,2}${name.slice(i + 1)}`);
  return new RegExp(`^(?:${patterns.join('|')})$`, 'i').test(text);
}

/** Quotes a text and makes its invisible characters visible. */
export function show(text: string): string {
  const escape = (character: string) => `\\u{${character.codePointAt(0)!.toString(16)}}`;
  return JSON.stringify(text).replaceAll(/[^\P{Z} ]|[\p{Cc}\p{Cf}]/gu, escape);
}
