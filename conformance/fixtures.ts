/**
 * What the kit's people are called and what they type. All of it follows from the seed, but for one thing: the mark, which is
 * another one in each run and always as long. It keeps a second run from meeting the accounts that the first one left on the
 * server, and nothing else depends on it.
 */
export type Fixtures = {
  seed: number;
  runId: string;
  email: (name: string) => string;
  /** Long enough, with small and capital letters, a digit and a sign. */
  password: (name: string) => string;
  project: (name: string) => { title: string; description: string };
  /** The same, as its title and its description. */
  texts: (name: string) => [title: string, description: string];
};

const things = [
  'garden',
  'harbour',
  'library',
  'kitchen',
  'station',
  'orchard',
  'bridge',
  'studio',
];
const deeds = ['Paint', 'Repair', 'Measure', 'Open', 'Move', 'Light', 'Plan', 'Photograph'];

export function createFixtures(seed: number, mark: string): Fixtures {
  const random = (name: string) => generator(seed, name);
  const pick = (from: string[], next: () => number) => from[Math.floor(next() * from.length)]!;
  const fixtures: Fixtures = {
    seed,
    runId: mark,
    email: (name) => `${name}.${seed}.${mark}@example.org`,
    password(name) {
      const next = random(`password of ${name}`);
      const digits = String(Math.floor(next() * 9000) + 1000);
      return `Kit-${pick(things, next)}-${digits}!${pick(things, next)}`;
    },
    project(name) {
      const next = random(`project ${name}`);
      const thing = pick(things, next);
      return {
        title: `${pick(deeds, next)} the ${thing}, ${name} ${mark}`,
        description: `What is to be done about the ${thing}.\nMade by the conformance kit (${name}).`,
      };
    },
    texts(name) {
      const { title, description } = fixtures.project(name);
      return [title, description];
    },
  };
  return fixtures;
}

/** Eleven letters and digits that no other run on this server has, not even one that began in the same second. */
export function createRunId(now = Date.now(), chance = Math.random()): string {
  const time = Math.floor(now / 1000) % 36 ** 5;
  const tail = Math.floor(chance * 36 ** 6);
  return time.toString(36).padStart(5, '0') + tail.toString(36).padStart(6, '0');
}

/** Numbers from 0 to 1, the same for the same seed and name. */
function generator(seed: number, name: string): () => number {
  let state = seed | 0;
  for (const letter of name) state = Math.imul(state ^ letter.charCodeAt(0), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
