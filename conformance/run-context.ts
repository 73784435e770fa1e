import { describeResponse } from './describe.ts';
import { isClientError, isSuccess } from './http/response.ts';
import { Blocked } from './verdict.ts';
import type { User } from '../machines/types.ts';
import { readContract, type Contract } from './contract.ts';
import { SimulatedBrowser, type ApiCall } from './http/simulated-browser.ts';
import { cookieValuesIn, createSecrets, type Secrets } from './http/secrets.ts';
import { createHttpClient, headerValues, type Exchange, type HttpClient } from './http/client.ts';
import type { Fixtures } from './fixtures.ts';

/** Somebody who registered, in the browser that they did it in. */
export type Account = {
  name: string;
  email: string;
  password: string;
  browser: SimulatedBrowser;
  registration: ApiCall<User>;
};

/** Somebody who signed in, in a browser that had no cookies before. */
export type SignedInUser = Account & { login: ApiCall<void> };

/** What a run has: the target, the people it made there, and what it found out so far. */
export type RunContext = {
  origin: string;
  http: HttpClient;
  contract: Contract;
  secrets: Secrets;
  fixtures: Fixtures;
  /** The origin of an app that lives elsewhere, when CORS was asked about. */
  appOrigin: string | undefined;
  /** A fresh browser: no cookies, never been here. */
  newBrowser: (name: string) => SimulatedBrowser;
  /** Registers somebody in a fresh browser. The same name is the same account. */
  tryRegister: (
    name: string,
    credentials?: Partial<Pick<Account, 'email' | 'password'>>,
  ) => Promise<Account>;
  /** The same, for what needs an account. */
  registeredAccount: (name: string) => Promise<Account>;
  /** Registers somebody and signs them in. The same name is the same person. */
  signedInUser: (name: string) => Promise<SignedInUser>;
  /** The same person once more, in a session that nobody else uses and that may be spoilt. */
  newSession: (name: string) => Promise<SignedInUser>;
  /** Signs an account in, in this browser or in a fresh one. */
  signIn: (account: Account, browser?: SimulatedBrowser) => Promise<SignedInUser>;
  /** Does something once a run, however many checks need it. */
  once: <Value>(what: string, make: () => Promise<Value>) => Promise<Value>;
  /** What was done by `once`, if it was. */
  peek: <Value>(what: string) => Promise<Value> | undefined;
  /** What it took to bring a browser to where it is: calls that belong before any other of its calls. */
  setupExchanges: Map<string, Exchange[]>;
  /** Where the built app is, and where pictures go, when the screens are to be walked too. */
  ui: { appFolder: string; screenshotFolder: string } | undefined;
  screenshots: { id: string; file: string }[];
  /** Accounts that were made. */
  accounts: Account[];
};

export function createRunContext(
  origin: string,
  fixtures: Fixtures,
  otherOrigin?: string,
  patience?: number,
): RunContext {
  const secrets = createSecrets();
  const note = ({ response }: Exchange) => {
    if (!response) return;
    for (const line of headerValues(response, 'set-cookie'))
      cookieValuesIn(line).forEach(secrets.add);
  };
  const http = createHttpClient(origin, note, patience);
  const setups = new Map<string, Exchange[]>();
  const done = new Map<string, Promise<unknown>>();
  const accounts: Account[] = [];
  let browsers = 0;

  const once = <Value>(what: string, make: () => Promise<Value>): Promise<Value> => {
    const known = done.get(what) ?? make();
    done.set(what, known);
    return known as Promise<Value>;
  };

  const context: RunContext = {
    origin,
    http,
    contract: readContract(),
    secrets,
    fixtures,
    appOrigin: otherOrigin,
    setupExchanges: setups,
    accounts,
    ui: undefined,
    screenshots: [],
    once,
    peek: <Value>(what: string) => done.get(what) as Promise<Value> | undefined,
    newBrowser: (name) => new SimulatedBrowser(http, `${name} ${++browsers}`),

    tryRegister: (name, given = {}) =>
      once(`account ${name}`, async () => {
        const email = given.email ?? fixtures.email(name);
        const password = given.password ?? fixtures.password(name);
        secrets.add(password);
        const browser = context.newBrowser(name);
        let registration = await browser.registerUser(email, password);
        if (registration.outcome.ok !== true && isClientError(registration.exchange)) {
          // A backend that wants a cookie first is told so by a check of its own; the rest should be seen all the same.
          await browser.listProjects();
          if (browser.xsrfToken()) registration = await browser.registerUser(email, password);
        }
        const account = { name, email, password, browser, registration };
        setups.set(browser.name, registration.exchanges);
        if (registration.outcome.ok) accounts.push(account);
        return account;
      }),

    async registeredAccount(name) {
      const account = await context.tryRegister(name);
      if (isSuccess(account.registration.exchange)) return account;
      throw new Blocked(
        `registering did not work: ${describeResponse(account.registration.exchange)}`,
      );
    },

    signedInUser: (name) =>
      once(`person ${name}`, async () => context.signIn(await context.registeredAccount(name))),

    newSession: async (name) => context.signIn(await context.registeredAccount(name)),

    async signIn(account, browser = context.newBrowser(account.name)) {
      const before = setups.get(browser.name) ?? account.registration.exchanges;
      let login = await browser.login(account.email, account.password);
      if (!login.outcome.ok && isClientError(login.exchange) && !browser.xsrfToken()) {
        await browser.listProjects();
        if (browser.xsrfToken()) login = await browser.login(account.email, account.password);
      }
      if (!login.outcome.ok)
        throw new Blocked(`signing in did not work: ${describeResponse(login.exchange)}`);
      // As the app does: it takes the person to the projects.
      const list = await browser.listProjects();
      setups.set(browser.name, [...before, ...login.exchanges, ...list.exchanges]);
      return { ...account, browser, login };
    },
  };
  return context;
}
