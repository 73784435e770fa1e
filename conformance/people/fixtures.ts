import { createHash } from 'node:crypto';
import { maxFixtureLength, projectOf, textNames, type Texts } from '../http/project-texts.ts';

/** A part of all emails, so that one statement deletes what runs leave on a server. */
export const emailDomain = 'kit.example.org';

export type Fixtures = ReturnType<typeof createFixtures>;

/**
 * Returns the accounts and projects of a run. The run id keeps two runs against one server from
 * sharing accounts. No check depends on its value.
 */
export function createFixtures(runId: string) {
  return {
    runId,
    /** Without hyphens, which are the matter of ACCOUNT-19. */
    email: (name: string) => `${name.replaceAll('-', '')}.${runId}@${emailDomain}`,
    /** Returns a password with lower and upper case letters, digits and punctuation. */
    password: (name: string) => {
      const digest = createHash('sha256').update(name).digest('hex');
      return `Kit-${digest.slice(0, 10)}-2!`;
    },
    /** Returns small letters, digits and blanks: other characters are the matter of TEXT checks. */
    project(name: string): Texts {
      const words = name.toLowerCase().replaceAll(/[^a-z\d]+/g, ' ');
      return projectOf((field) => {
        const text = `Project ${words} ${field} ${runId}`;
        if (text.length > maxFixtureLength) throw new Error(`A fixture is too long: ${text}`);
        return text;
      });
    },
    /** The email of an account where a number is not refused. */
    number: 10_000_000_000 + parseInt(runId.slice(-6), 36),
  };
}

/** Returns whether a value has a text of a project of the fixtures, of this or another run. */
export const isOfKit = (project: Partial<Record<string, unknown>>): boolean =>
  textNames.some((name) => /^Project .+ [a-z\d]{11}$/.test(String(project[name])));

/**
 * Returns eleven letters and digits: the time in seconds and a random part. The length is fixed, so
 * that requests of two runs have the same length.
 */
export function createRunId(): string {
  const time = Math.floor(Date.now() / 1000) % 36 ** 5;
  const tail = Math.floor(Math.random() * 36 ** 6);
  return time.toString(36).padStart(5, '0') + tail.toString(36).padStart(6, '0');
}
