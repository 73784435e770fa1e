import { createHash } from 'node:crypto';
import type { NewProject } from '../../machines/types.ts';

/** A part of all emails, so that one statement deletes what runs leave on a server. */
export const emailDomain = 'kit.example.org';

export type Fixtures = ReturnType<typeof createFixtures>;

/**
 * Returns the accounts and projects of a run. Everything is derived from the seed, except the run
 * id. The run id keeps two runs against one server from sharing accounts; no check depends on its
 * value.
 */
export function createFixtures(seed: number, runId: string) {
  return {
    runId,
    /** Without hyphens, which are the matter of ACCOUNT-19. */
    email: (name: string) => `${name.replaceAll('-', '')}.${seed}.${runId}@${emailDomain}`,
    /** Returns a password with lower and upper case letters, digits and punctuation. */
    password: (name: string) => {
      const digest = createHash('sha256').update(`${seed} ${name}`).digest('hex');
      return `Kit-${digest.slice(0, 10)}-2!`;
    },
    /** Returns small letters, digits and blanks: other characters are the matter of TEXT checks. */
    project(name: string): NewProject {
      const words = name.toLowerCase().replaceAll(/[^a-z\d]+/g, ' ');
      const title = `Project ${words} ${runId}`;
      return { title, description: `Created by the conformance kit as ${words}` };
    },
    /** The email of an account where a number is not refused. */
    number: 10_000_000_000 + parseInt(runId.slice(-6), 36),
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
