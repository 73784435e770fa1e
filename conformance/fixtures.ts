import { createHash } from 'node:crypto';
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
  const digestOf = (name: string) => createHash('sha256').update(`${seed} ${name}`).digest();
  const pick = (words: string[], byte: number) => words[byte % words.length]!;
  return {
    runId,
    email: (name: string) => `${name}.${seed}.${runId}@${emailDomain}`,
    /** Returns a password with lower and upper case letters, digits and punctuation. */
    password: (name: string) => {
      const digest = digestOf(`password of ${name}`);
      const [first, last] = [pick(nouns, digest.readUInt8(0)), pick(nouns, digest.readUInt8(1))];
      return `Kit-${first}-${1000 + (digest.readUInt16BE(2) % 9000)}!${last}`;
    },
    project: (name: string): NewProject => {
      const digest = digestOf(`project ${name}`);
      const [verb, noun] = [pick(verbs, digest.readUInt8(0)), pick(nouns, digest.readUInt8(1))];
      return {
        title: `${verb} the ${noun}, ${name} ${runId}`,
        description: `What has to be done for the ${noun}. Created by the conformance kit (${name}).`,
      };
    },
  };
}

/**
 * Returns eleven letters and digits: the time in seconds and a random part. The length is fixed, so
 * that requests of two runs with the same seed have the same length.
 */
export function createRunId(): string {
  const time = Math.floor(Date.now() / 1000) % 36 ** 5;
  const tail = Math.floor(Math.random() * 36 ** 6);
  return time.toString(36).padStart(5, '0') + tail.toString(36).padStart(6, '0');
}
