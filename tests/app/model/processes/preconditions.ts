import type { Credentials } from '../../../../machines/types.ts';
import type { Call } from '../../../../model/calls.ts';
import type { SimulatedBrowser } from '../../../../conformance/http/simulated-browser.ts';
import { oncePerRun, type RunContext } from '../../../../conformance/run-context.ts';
import type { BackendOutcome } from './backend-response.ts';

/** Brings a backend into the state in which a call ends as a path requires. */
export type Preconditions = {
  origin: string;
  newBrowser: () => SimulatedBrowser;
  /** Prepares the backend for a call. Returns the browser whose cookies the call needs. */
  arrange: (call: Call, ...request: ArrangedRequest) => Promise<SimulatedBrowser>;
};

type ArrangedRequest = [
  outcome: BackendOutcome,
  credentials: Credentials,
  ownBrowser: SimulatedBrowser,
];

const userWithProjects = oncePerRun(async (context) => {
  const { browser } = await context.signedInUser('bob');
  for (const name of ['first of a journey', 'second of a journey'])
    await browser.createProject(context.fixtures.project(name));
  return browser;
});

export function createPreconditions(context: RunContext): Preconditions {
  const newBrowser = () => context.newBrowser('journey');
  const registeredEmails = new Set<string>();
  async function register({ email, password }: Credentials) {
    if (registeredEmails.has(email)) return;
    registeredEmails.add(email);
    context.secrets.add(password);
    await newBrowser().registerUser(email, password);
  }
  const browserWithProjects = () => userWithProjects(context);
  const browserWithoutProjects = async () => (await context.signedInUser('flo')).browser;

  /** The calls that need more than a user with projects, and a visitor for a refusal. */
  const arrangements: Partial<
    Record<Call, (...request: ArrangedRequest) => Promise<SimulatedBrowser>>
  > = {
    async login(outcome, credentials, ownBrowser) {
      if (outcome === 'success') await register(credentials);
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
  };
}
