import type { NewProject } from '../machines/types.ts';

/** The domain of all emails, so that one statement deletes what runs leave on a server. */
export const emailDomain = 'kit.example.org';

export type Fixtures = ReturnType<typeof createFixtures>;

const nouns = ['garden', 'harbour', 'library', 'kitchen', 'station', 'orchard', 'bridge', 'studio'];
const verbs = ['Paint', 'Repair', 'Measure', 'Open', 'Move', 'Light', 'Plan', 'Photograph'];

/**
 * Returns the accounts and projects of a run. Everything is derived from the seed, except the run
 * id. The run id keeps two runs against one server from sharing accounts; no check depends on its
 * value.
 */
export function createFixtures(seed: number, runId: string) {
  const pick = (words: string[], random: () => number) =>
    words[Math.floor(random() * words.length)]!;
  return {
    runId,
    email: (name: string) => `${name}.${seed}.${runId}@${emailDomain}`,
    /** Returns a password with lower and upper case letters, digits and punctuation. */
    password: (name: string) => {
      const random = createRandom(seed, `password of ${name}`);
      const digits = String(Math.floor(random() * 9000) + 1000);
      return `Kit-${pick(nouns, random)}-${digits}!${pick(nouns, random)}`;
    },
    project: (name: string): NewProject => {
      const random = createRandom(seed, `project ${name}`);
      const noun = pick(nouns, random);
      return {
        title: `${pick(verbs, random)} the ${noun}, ${name} ${runId}`,
        description: `What has to be done for the ${noun}. Created by the conformance kit (${name}).`,
      };
    },
  };
}

/**
 * Returns eleven letters and digits: the time in seconds and a random part. The length is fixed, so
 * that requests of two runs with the same seed have the same length.
 */
export function createRunId(nowMs = Date.now(), random = Math.random()): string {
  const time = Math.floor(nowMs / 1000) % 36 ** 5;
  const tail = Math.floor(random * 36 ** 6);
  return time.toString(36).padStart(5, '0') + tail.toString(36).padStart(6, '0');
}

/** Creates a pseudorandom number generator (mulberry32) that is seeded with a number and a name. */
function createRandom(seed: number, name: string): () => number {
  let state = seed | 0;
  for (const letter of name) state = Math.imul(state ^ letter.charCodeAt(0), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
