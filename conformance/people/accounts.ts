import { Blocked } from '../http/record.ts';
import type { Credentials, Project, User } from '../../machines/types.ts';
import type { HttpClient } from '../http/client.ts';
import { lateMs } from '../http/clock.ts';
import { isClientError, isSuccess, statusOf } from '../http/response.ts';
import type { ApiCall, SimulatedBrowser } from '../http/simulated-browser.ts';
import { countIn, describeScreen, describeStatus, plural } from '../problems/describe.ts';
import { createProblem, type Problem } from '../problems/problem.ts';
import type { Fixtures } from './fixtures.ts';
import { getOrCreate } from './get-or-create.ts';

/** An account, and the browser that registered it. */
export type Account = Credentials & {
  name: string;
  browser: SimulatedBrowser;
  registration: ApiCall<User>;
};

/** An account that is signed in with `browser`. */
export type SignedInUser = Account & {
  login: ApiCall;
  list: ApiCall<Project[]>;
  /** A browser with the cookies of the sign-in: a later response may have replaced them. */
  signedInBrowser: SimulatedBrowser;
};

/** A right request that gets 400 may begin with the rest of the one before on its connection. */
const leftOver = {
  requirement:
    'Read each request to its end, also one that is refused, or close its connection. What is left of a body is read as the next request, which gets 400.',
};

/** Creates the accounts that the checks of one run share. */
// oxlint-disable-next-line max-lines-per-function -- its methods share the accounts of a run
export function createAccounts(
  http: HttpClient,
  fixtures: Fixtures,
  newBrowser: (name: string) => SimulatedBrowser,
  reportTo: (id: string, problem: Problem) => void,
) {
  const accounts = new Map<string, Promise<Account>>();
  const users = new Map<string, Promise<SignedInUser>>();
  const lateSignIns = new Map<string, Promise<ApiCall>>();

  /**
   * Sends a POST. Repeats a refused one when a GET brings the browser its first XSRF cookie. XSRF-1
   * reports such a backend; the other checks go on.
   */
  async function postWithXsrfCookie<Call extends ApiCall>(
    browser: SimulatedBrowser,
    post: () => Promise<Call>,
  ) {
    const hadToken = browser.xsrfToken() !== undefined;
    const first = await post();
    if (hadToken || !isClientError(first.exchange)) return { first, last: first };
    await browser.listProjects();
    const second = browser.xsrfToken() === undefined ? first : await post();
    return { first, last: second.outcome.ok ? second : first };
  }

  /** Registers an account in a new browser, once per name. The registration may have failed. */
  const tryRegister = (name: string, credentials: Partial<Credentials> = {}): Promise<Account> =>
    getOrCreate(accounts, name, async () => {
      const { email = fixtures.email(name), password = fixtures.password(name) } = credentials;
      const browser = newBrowser(name);
      const register = () => browser.registerUser(email, password);
      const { last: registration } = await postWithXsrfCookie(browser, register);
      return { name, email, password, browser, registration };
    });

  /** Registers an account like `tryRegister`. Throws `Blocked` if the registration fails. */
  async function registeredAccount(name: string): Promise<Account> {
    const account = await tryRegister(name);
    const { exchange } = account.registration;
    if (isSuccess(exchange)) return account;
    throw new Blocked({ words: 'registering failed', exchange });
  }

  /** Repeats a refused sign-in, once per account, on new connections: each may have its process. */
  const signInLate = (account: Account, first: ApiCall) =>
    getOrCreate(lateSignIns, account.name, async () => {
      const { email, password, browser, registration } = account;
      const send = () => browser.call('login', { email, password }, { onNewConnection: true });
      const tries: ApiCall[] = [first];
      while (tries.length < 5) tries.push(await send());
      if (!tries.some(({ outcome }) => outcome.ok)) {
        await http.clock.sleep(lateMs);
        tries.push(await send(), await send());
      }
      const { found: working, words: share } = countIn(tries, ({ outcome }) => outcome.ok);
      const login = working.at(-1) ?? first;
      const refused = tries.length - working.length;
      const isLate = tries.slice(refused).every(({ outcome }) => outcome.ok);
      const description = isLate
        ? `A right email and password are refused ${plural(refused, 'time')}, and accepted then.`
        : `A right email and password sign in ${share} times, on new connections.`;
      const words = isLate ? 'accounts sign in only later' : 'accounts sign in now and then';
      if (working.length > 0)
        reportTo(
          'SIGNIN-17',
          createProblem(description, [registration, login, first], {
            userSees: describeScreen(first),
            cause: { words, subject: email },
            comesAndGoes: true,
            ...(isLate && statusOf(first.exchange) === 400 && leftOver),
          }),
        );
      return login;
    });

  /** Signs in to the same account in a new browser. The caller may destroy this session. */
  async function newSession(name: string): Promise<SignedInUser> {
    const account = await registeredAccount(name);
    const browser = newBrowser(name);
    // A wrong password may have locked an account that signed in before.
    const isNew = !http.exchanges.some(
      ({ request: { path, body } }) =>
        path.endsWith('/login') && String(body).includes(account.email),
    );
    const send = () => browser.login(account.email, account.password);
    const { last: first } = await postWithXsrfCookie(browser, send);
    let login: ApiCall = first;
    if (isClientError(first.exchange)) login = await signInLate({ ...account, browser }, first);
    if (!login.outcome.ok) {
      const description = `A new account cannot sign in: ${describeStatus(login.exchange)}.`;
      const cause = { words: 'new accounts cannot sign in', subject: account.email };
      if (isNew && isClientError(login.exchange))
        reportTo('SIGNIN-17', createProblem(description, [account.registration, login], { cause }));
      throw new Blocked({ words: 'signing in failed', exchange: login.exchange });
    }
    const signedInBrowser = browser.clone(`${browser.name}, after its sign-in`);
    // The app also opens the projects after signing in.
    const list = await browser.listProjects();
    return { ...account, browser, login, list, signedInBrowser };
  }

  return {
    signInLate,
    postWithXsrfCookie,
    tryRegister,
    registeredAccount,
    /** Registers an account and signs in, once per name. Throws `Blocked` if that fails. */
    signedInUser: (name: string) => getOrCreate(users, name, () => newSession(name)),
    newSession,
  };
}
