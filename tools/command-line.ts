import { parseArgs } from 'node:util';

/** What a file accepts. Options have no values. */
type Accepted<Option extends string> = { options?: Option[]; words?: boolean };

/**
 * Returns the options and words that this process was started with. Prints `help` and exits for
 * `--help`. Exits with 1 if an option or a word is not accepted.
 */
export function readCommandLine<Option extends string = never>(
  help: string,
  { options = [], words = false }: Accepted<Option> = {},
): { options: Set<Option>; words: string[] } {
  const args = process.argv.slice(2);
  if (args.includes('--help') || args.includes('-h')) {
    console.log(help);
    process.exit();
  }
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: words,
      options: Object.fromEntries(options.map((name) => [name, { type: 'boolean' as const }])),
    });
    return {
      options: new Set(options.filter((name) => values[name] === true)),
      words: positionals,
    };
  } catch (error) {
    const [problem] = (error as Error).message.split(/\.(?: |$)/);
    return exitWith(`${problem}. Run the file with --help to see its options.`);
  }
}

/**
 * Returns the names that contain one of the words, or all names without words. Exits with 1 and all
 * names for a word that no name contains.
 */
export function selectNamesOrExit(names: string[], words: string[]): string[] {
  const unknown = words.find((word) => !names.some((name) => name.includes(word)));
  if (unknown !== undefined)
    exitWith(`"${unknown}" is part of no name. There are:\n${names.join('\n')}`);
  return names.filter((name) => words.length === 0 || words.some((word) => name.includes(word)));
}

function exitWith(message: string): never {
  console.error(message);
  process.exit(1);
}
