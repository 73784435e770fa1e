import { describeResponse } from '../describe.ts';
import { isSuccess } from '../http/response.ts';
import { createAsVisitor, isListPublic } from '../probes.ts';
import { Blocked } from '../verdict.ts';
import type { Credentials } from '../../machines/types.ts';
import type { BackendResponse, Call } from '../../model/outcomes.ts';
import type { SimulatedBrowser } from '../http/simulated-browser.ts';
import type { RunContext } from '../run-context.ts';

/** What a real backend can be brought to by circumstances: the right ones are made before the call goes out. */
export type BackendEnding = 'success' | 'empty' | 'refusal' | 'unreachable';

/** Where journeys take place: a running backend, and people on it in whatever state a call needs to end as it should. */
export type Preconditions = {
  origin: string;
  /** A fresh browser. */
  browser: () => SimulatedBrowser;
  /** Makes the backend answer so, and gives the browser to ask with. `own` is the one that the journey began with. */
  arrange: Record<
    Call,
    (ending: BackendEnding, sent: Credentials, own: SimulatedBrowser) => Promise<SimulatedBrowser>
  >;
  /** Why this backend cannot be brought to it; undefined where it can. */
  whyUnreachable: (move: string) => Promise<string | undefined>;
};

export function createPreconditions(context: RunContext): Preconditions {
  const known = new Set<string>();
  const register = async ({ email, password }: Credentials) => {
    if (known.has(email)) return;
    known.add(email);
    context.secrets.add(password);
    await context.newBrowser('journey').registerUser(email, password);
  };
  /** Somebody with two projects, who makes more of them. */
  const maker = () =>
    context.once('maker', async () => {
      const user = await context.signedInUser('bob');
      for (const name of ['first of a journey', 'second of a journey']) {
        await user.browser.createProject(context.fixtures.project(name));
      }
      return user;
    });

  return {
    origin: context.origin,
    browser: () => context.newBrowser('journey'),
    arrange: {
      async login(ending, sent, own) {
        if (ending === 'success' && !isAdas(context, sent)) await register(sent);
        return own;
      },
      async registerUser(ending, sent, own) {
        if (ending === 'refusal') await register({ ...sent, password: `${sent.password}-taken` });
        return own;
      },
      async listProjects(ending) {
        if (ending === 'refusal') return context.newBrowser('journey');
        if (ending === 'empty') return (await context.signedInUser('flo')).browser;
        return (await maker()).browser;
      },
      async createProject(ending) {
        if (ending === 'refusal') return context.newBrowser('journey');
        return (await maker()).browser;
      },
    },
    async whyUnreachable(move) {
      if (/^(late )?listProjects: refusal$/.test(move) && (await isListPublic(context))) {
        return 'visitors may read the list, so nobody is refused it';
      }
      if (
        move === 'createProject: refusal' &&
        isSuccess((await createAsVisitor(context)).exchange)
      ) {
        return 'visitors may create projects, so nobody is refused it';
      }
      if (move === 'listProjects: empty') {
        const list = await (await context.signedInUser('flo')).browser.listProjects();
        if (!list.outcome.ok)
          throw new Blocked(`the list cannot be shown: ${describeResponse(list.exchange)}`);
        if ((list.outcome.value as unknown[]).length > 0) return 'nobody has an empty list';
      }
      return undefined;
    },
  };
}

/** Whoever signs in on a journey is somebody who is there already, so that few have to be registered. */
const isAdas = (context: RunContext, { email }: Credentials) =>
  email === context.fixtures.email('ada');

/** The circumstances in which a backend gives such an answer. */
export function endingFor(wanted: BackendResponse): BackendEnding {
  if (wanted === 'none') return 'unreachable';
  if (wanted === 'fault') throw new Error('No backend can make the app fail.');
  if (wanted.status >= 400) return 'refusal';
  return Array.isArray(wanted.body) && wanted.body.length === 0 ? 'empty' : 'success';
}
