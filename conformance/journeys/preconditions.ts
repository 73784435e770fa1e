import type { Credentials } from '../../machines/types.ts';
import type { BackendResponse, Call } from '../../model/outcomes.ts';
import { Blocked, describeResponse, isSuccess } from '../checks/check.ts';
import { anonymousCreate, readsWithout } from '../checks/signin.ts';
import type { Browser } from '../http/browser.ts';
import type { World } from '../world.ts';

/** What a real backend can be brought to by circumstances: the right ones are made before the call goes out. */
export type Arranged = 'success' | 'empty' | 'refusal' | 'unreachable';

/** Where journeys take place: a running backend, and people on it in whatever state a call needs to end as it should. */
export type Preconditions = {
  origin: string;
  /** A fresh browser. */
  browser: () => Browser;
  /** Makes the backend answer so, and gives the browser to ask with. `own` is the one that the journey began with. */
  arrange: Record<Call, (ending: Arranged, sent: Credentials, own: Browser) => Promise<Browser>>;
  /** Why this backend cannot be brought to it; undefined where it can. */
  whyUnreachable: (move: string) => Promise<string | undefined>;
};

export function createPreconditions(world: World): Preconditions {
  const known = new Set<string>();
  const register = async ({ email, password }: Credentials) => {
    if (known.has(email)) return;
    known.add(email);
    world.secrets.add(password);
    await world.browser('journey').registerUser(email, password);
  };
  /** Somebody with two projects, who makes more of them. */
  const maker = () =>
    world.once('maker', async () => {
      const person = await world.person('bob');
      for (const name of ['first of a journey', 'second of a journey']) {
        await person.browser.createProject(...world.fixtures.texts(name));
      }
      return person;
    });

  return {
    origin: world.origin,
    browser: () => world.browser('journey'),
    arrange: {
      async login(ending, sent, own) {
        if (ending === 'success' && !isAdas(world, sent)) await register(sent);
        return own;
      },
      async registerUser(ending, sent, own) {
        if (ending === 'refusal') await register({ ...sent, password: `${sent.password}-taken` });
        return own;
      },
      async listProjects(ending) {
        if (ending === 'refusal') return world.browser('journey');
        if (ending === 'empty') return (await world.person('flo')).browser;
        return (await maker()).browser;
      },
      async createProject(ending) {
        if (ending === 'refusal') return world.browser('journey');
        return (await maker()).browser;
      },
    },
    async whyUnreachable(move) {
      if (/^(late )?listProjects: refusal$/.test(move) && (await readsWithout(world))) {
        return 'visitors may read the list, so nobody is refused it';
      }
      if (move === 'createProject: refusal' && isSuccess((await anonymousCreate(world)).exchange)) {
        return 'visitors may create projects, so nobody is refused it';
      }
      if (move === 'listProjects: empty') {
        const list = await (await world.person('flo')).browser.listProjects();
        if (!list.ended.ok)
          throw new Blocked(`the list cannot be shown: ${describeResponse(list.exchange)}`);
        if ((list.ended.value as unknown[]).length > 0) return 'nobody has an empty list';
      }
      return undefined;
    },
  };
}

/** Whoever signs in on a journey is somebody who is there already, so that few have to be registered. */
const isAdas = (world: World, { email }: Credentials) => email === world.fixtures.email('ada');

/** The circumstances in which a backend gives such an answer. */
export function arrangedBy(wanted: BackendResponse): Arranged {
  if (wanted === 'none') return 'unreachable';
  if (wanted === 'fault') throw new Error('No backend can make the app fail.');
  if (wanted.status >= 400) return 'refusal';
  return Array.isArray(wanted.body) && wanted.body.length === 0 ? 'empty' : 'success';
}
