import type { Credentials } from '../../machines/types.ts';
import { callNames, type Call } from '../../model/calls.ts';
import type { SimulatedBrowser } from '../http/simulated-browser.ts';
import { isSuccess } from '../http/response.ts';
import { createAsVisitor, isListPublic, listOrBlock } from '../probes.ts';
import type { RunContext } from '../run-context.ts';
import type { BackendOutcome } from './backend-response.ts';
import { sharedAccounts } from './paths.ts';

/** Brings a backend into the state in which a call ends as a path requires. */
export type Preconditions = {
  origin: string;
  newBrowser: () => SimulatedBrowser;
  /** Prepares the backend for a call. Returns the browser whose cookies the call needs. */
  arrange: (call: Call, ...request: ArrangedRequest) => Promise<SimulatedBrowser>;
  /** Returns why this backend cannot make a move, or undefined if it can. */
  whyUnreachable: (move: string) => Promise<string | undefined>;
};

type ArrangedRequest = [
  outcome: BackendOutcome,
  credentials: Credentials,
  ownBrowser: SimulatedBrowser,
];

export function createPreconditions(context: RunContext): Preconditions {
  const newBrowser = () => context.newBrowser('journey');
  const registeredEmails = new Set<string>();
  async function register({ email, password }: Credentials) {
    if (registeredEmails.has(email)) return;
    registeredEmails.add(email);
    context.secrets.add(password);
    await newBrowser().registerUser(email, password);
  }
  const browserWithProjects = () =>
    context.once('user with projects', async () => {
      const { browser } = await context.signedInUser('bob');
      for (const name of ['first of a journey', 'second of a journey']) {
        await browser.createProject(context.fixtures.project(name));
      }
      return browser;
    });
  const browserWithoutProjects = async () => (await context.signedInUser('flo')).browser;
  const sharedEmails = sharedAccounts.map(context.fixtures.email);
  const isShared = ({ email }: Credentials) => sharedEmails.includes(email);

  /** The calls that need more than a user with projects, and a visitor for a refusal. */
  const arrangements: Partial<
    Record<Call, (...request: ArrangedRequest) => Promise<SimulatedBrowser>>
  > = {
    async login(outcome, credentials, ownBrowser) {
      if (outcome === 'success' && !isShared(credentials)) await register(credentials);
      return ownBrowser;
    },
    async registerUser(outcome, { email, password }, ownBrowser) {
      if (outcome === 'refusal') await register({ email, password: `${password}-taken` });
      return ownBrowser;
    },
    async listProjects(outcome) {
      if (outcome === 'refusal') return newBrowser();
      return outcome === 'empty' ? browserWithoutProjects() : browserWithProjects();
    },
  };

  return {
    origin: context.origin,
    newBrowser,
    async arrange(call, ...request) {
      const arrangement = arrangements[call];
      if (arrangement) return arrangement(...request);
      return request[0] === 'refusal' ? newBrowser() : browserWithProjects();
    },
    async whyUnreachable(move) {
      if (move === 'listProjects: refusal' && (await isListPublic(context))) {
        return 'visitors may read the list, so it is never refused';
      }
      const call = callNames.find((name) => move === `${name}: refusal`);
      if (call && !arrangements[call] && isSuccess((await createAsVisitor(context)).exchange)) {
        return 'visitors may create projects, so that is never refused';
      }
      if (move === 'listProjects: empty') {
        const { projects } = await listOrBlock(await browserWithoutProjects());
        if (projects.length > 0) return 'no user has an empty list';
      }
      return undefined;
    },
  };
}
