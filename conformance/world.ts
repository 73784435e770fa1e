import { Blocked, describeResponse, isRefusal, isSuccess } from './checks/check.ts';
import type { User } from '../machines/types.ts';
import { readContract, type Contract } from './contract.ts';
import { Browser, type Call } from './http/browser.ts';
import { cookieValuesIn, createSecrets, type Secrets } from './http/secrets.ts';
import { createWire, headersOf, type Exchange, type Wire } from './http/wire.ts';
import type { Fixtures } from './fixtures.ts';

/** Somebody who registered, in the browser that they did it in. */
export type Account = {
  name: string;
  email: string;
  password: string;
  browser: Browser;
  registration: Call<User>;
};

/** Somebody who signed in, in a browser that had no cookies before. */
export type Person = Account & { login: Call<void> };

/** What a run has: the target, the people it made there, and what it found out so far. */
export type World = {
  origin: string;
  wire: Wire;
  contract: Contract;
  secrets: Secrets;
  fixtures: Fixtures;
  /** The origin of an app that lives elsewhere, when CORS was asked about. */
  otherOrigin: string | undefined;
  /** A fresh browser: no cookies, never been here. */
  browser: (name: string) => Browser;
  /** Registers somebody in a fresh browser. The same name is the same account. */
  account: (
    name: string,
    credentials?: Partial<Pick<Account, 'email' | 'password'>>,
  ) => Promise<Account>;
  /** The same, for what needs an account. */
  registered: (name: string) => Promise<Account>;
  /** Registers somebody and signs them in. The same name is the same person. */
  person: (name: string) => Promise<Person>;
  /** The same person once more, in a session that nobody else uses and that may be spoilt. */
  again: (name: string) => Promise<Person>;
  /** Signs an account in, in this browser or in a fresh one. */
  signIn: (account: Account, browser?: Browser) => Promise<Person>;
  /** Does something once a run, however many checks need it. */
  once: <Value>(what: string, make: () => Promise<Value>) => Promise<Value>;
  /** What was done by `once`, if it was. */
  known: <Value>(what: string) => Promise<Value> | undefined;
  /** What it took to bring a browser to where it is: calls that belong before any other of its calls. */
  setups: Map<string, Exchange[]>;
  /** Where the built app is, and where pictures go, when the screens are to be walked too. */
  ui: { app: string; pictures: string } | undefined;
  pictures: { id: string; file: string }[];
  /** Accounts that were made. */
  accounts: Account[];
};

export function createWorld(
  origin: string,
  inventor: Fixtures,
  otherOrigin?: string,
  patience?: number,
): World {
  const secrets = createSecrets();
  const note = ({ answer }: Exchange) => {
    if (!answer) return;
    for (const line of headersOf(answer, 'set-cookie')) cookieValuesIn(line).forEach(secrets.add);
  };
  const wire = createWire(origin, note, patience);
  const setups = new Map<string, Exchange[]>();
  const done = new Map<string, Promise<unknown>>();
  const accounts: Account[] = [];
  let browsers = 0;

  const once = <Value>(what: string, make: () => Promise<Value>): Promise<Value> => {
    const known = done.get(what) ?? make();
    done.set(what, known);
    return known as Promise<Value>;
  };

  const world: World = {
    origin,
    wire,
    contract: readContract(),
    secrets,
    fixtures: inventor,
    otherOrigin,
    setups,
    accounts,
    ui: undefined,
    pictures: [],
    once,
    known: <Value>(what: string) => done.get(what) as Promise<Value> | undefined,
    browser: (name) => new Browser(wire, `${name} ${++browsers}`),

    account: (name, given = {}) =>
      once(`account ${name}`, async () => {
        const email = given.email ?? inventor.email(name);
        const password = given.password ?? inventor.password(name);
        secrets.add(password);
        const browser = world.browser(name);
        let registration = await browser.registerUser(email, password);
        if (registration.ended.ok !== true && isRefusal(registration.exchange)) {
          // A backend that wants a cookie first is told so by a check of its own; the rest should be seen all the same.
          await browser.listProjects();
          if (browser.xsrfToken()) registration = await browser.registerUser(email, password);
        }
        const account = { name, email, password, browser, registration };
        setups.set(browser.name, registration.exchanges);
        if (registration.ended.ok) accounts.push(account);
        return account;
      }),

    async registered(name) {
      const account = await world.account(name);
      if (isSuccess(account.registration.exchange)) return account;
      throw new Blocked(
        `registering did not work: ${describeResponse(account.registration.exchange)}`,
      );
    },

    person: (name) =>
      once(`person ${name}`, async () => world.signIn(await world.registered(name))),

    again: async (name) => world.signIn(await world.registered(name)),

    async signIn(account, browser = world.browser(account.name)) {
      const before = setups.get(browser.name) ?? account.registration.exchanges;
      let login = await browser.login(account.email, account.password);
      if (!login.ended.ok && isRefusal(login.exchange) && !browser.xsrfToken()) {
        await browser.listProjects();
        if (browser.xsrfToken()) login = await browser.login(account.email, account.password);
      }
      if (!login.ended.ok)
        throw new Blocked(`signing in did not work: ${describeResponse(login.exchange)}`);
      // As the app does: it takes the person to the projects.
      const list = await browser.listProjects();
      setups.set(browser.name, [...before, ...login.exchanges, ...list.exchanges]);
      return { ...account, browser, login };
    },
  };
  return world;
}
