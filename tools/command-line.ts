import { parseArgs } from 'node:util';
import { UsageError } from '../server/usage-error.ts';

type CommandLine<Option extends string> = { options: Set<Option>; words: string[] };

/** What a file accepts. Options have no values. */
type Accepted<Option extends string> = { options?: Option[]; words?: boolean };

/**
 * Returns the options and words that this process was started with. Prints `help` and exits for
 * `--help`. Exits with 1 if an option or a word is not accepted.
 */
export function readCommandLine<Option extends string = never>(
  help: string,
  accepted: Accepted<Option> = {},
): CommandLine<Option> {
  const args = process.argv.slice(2);
  if (args.includes('--help') || args.includes('-h')) {
    console.log(help);
    process.exit();
  }
  return exitOnUsageError(() => parseCommandLine(args, accepted));
}

/** Returns the names that `selectNames` returns. Exits with 1 if a word selects none. */
export function selectNamesOrExit(names: string[], words: string[]): string[] {
  return exitOnUsageError(() => selectNames(names, words));
}

/** Throws `UsageError` if an option or a word is not accepted. */
export function parseCommandLine<Option extends string>(
  args: string[],
  { options = [], words = false }: Accepted<Option>,
): CommandLine<Option> {
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
    throw new UsageError(`${problem}. Run the file with --help to see its options.`);
  }
}

/**
 * Returns the names that contain one of the words, or all names without words. Throws `UsageError`
 * with all names for a word that no name contains.
 */
export function selectNames(names: string[], words: string[]): string[] {
  const unknown = words.find((word) => !names.some((name) => name.includes(word)));
  if (unknown !== undefined)
    throw new UsageError(`"${unknown}" is part of no name. There are:\n${names.join('\n')}`);
  return names.filter((name) => words.length === 0 || words.some((word) => name.includes(word)));
}

function exitOnUsageError<Result>(task: () => Result): Result {
  try {
    return task();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(error.message);
    return process.exit(1);
  }
}
