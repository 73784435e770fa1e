import type { Credentials, Project, User } from '../../machines/types.ts';
import { describeResponse, describeScreen, describeStatus } from '../problems/describe.ts';
import type { Fixtures } from './fixtures.ts';
import { SimulatedBrowser, type ApiCall } from '../http/simulated-browser.ts';
import { cookieValues, createSecrets } from '../http/secrets.ts';
import { createHttpClient, type HttpClientOptions } from '../http/client.ts';
import { headerValues, isClientError, isSuccess, parseJson } from '../http/response.ts';
import type { Exchange } from '../http/record.ts';
import { lateMs } from '../http/clock.ts';
import { Blocked, createProblem, type Problem } from '../problems/problem.ts';

/** An account, and the browser that registered it. */
export type Account = Credentials & {
  name: string;
  browser: SimulatedBrowser;
  registration: ApiCall<User>;
};

/** An account that is signed in with `browser`. */
export type SignedInUser = Account & { login: ApiCall; list: ApiCall<Project[]> };

/** Returns the value of a key. `create` makes it when it is first needed. */
export function getOrCreate<Key, Value>(
  map: { get: (key: Key) => Value | undefined; set: (key: Key, value: Value) => unknown },
  key: Key,
  create: () => Value,
) {
  const value = map.get(key) ?? create();
  map.set(key, value);
  return value;
}

/** Creates a function that runs `create` once per run and arguments, which are JSON. */
export function oncePerArguments<Args extends unknown[], Value>(
  create: (context: RunContext, ...args: Args) => Promise<Value>,
) {
  const resultsOf = new WeakMap<RunContext, Map<string, Promise<Value>>>();
  return (context: RunContext, ...args: Args): Promise<Value> => {
    const results = getOrCreate(resultsOf, context, () => new Map<string, Promise<Value>>());
    return getOrCreate(results, JSON.stringify(args), () => create(context, ...args));
  };
}

/** Creates a function that runs `create` once per run. It ignores further arguments. */
export function oncePerRun<Value>(create: (context: RunContext) => Promise<Value>) {
  const once = oncePerArguments(create);
  return (context: RunContext) => once(context);
}

/** Returns whether an account signs in. */
const isSignInOf = (exchange: Exchange, email: string) =>
  isSuccess(exchange) &&
  exchange.request.path.endsWith('/login') &&
  String(exchange.request.body).includes(JSON.stringify(email));

/** State that the checks of one run share. */
export type RunContext = ReturnType<typeof createRunContext>;

type UiOptions = {
  appFolder: string;
  screenshotFolder: string;
  /** How long a screen may differ from the model. Default: 5 seconds. */
  screenTimeoutMs?: number;
};

export type RunContextOptions = Omit<HttpClientOptions, 'onExchange'> & {
  /** Set when the run includes the screens in a real browser (`--ui`). */
  ui?: UiOptions | undefined;
};

export function createRunContext(
  origin: string,
  fixtures: Fixtures,
  { ui, ...httpOptions }: RunContextOptions = {},
) {
  const secrets = createSecrets();
  const addSecrets = ({ request, response }: Exchange) => {
    const { password } = Object(parseJson(String(request.body))) as { password?: unknown };
    if (typeof password === 'string') secrets.add(password);
    const lines = headerValues(response, 'set-cookie');
    for (const value of lines.flatMap(cookieValues)) secrets.add(value);
  };
  const http = createHttpClient(origin, { ...httpOptions, onExchange: addSecrets });
  const accounts = new Map<string, Promise<Account>>();
  const users = new Map<string, Promise<SignedInUser>>();
  const lateSignIns = new Map<string, Promise<ApiCall>>();
  const refusedSignIns: Problem[] = [];
  let browserCount = 0;

  /** Creates a browser without cookies. */
  const newBrowser = (name: string) => new SimulatedBrowser(http, `${name} ${++browserCount}`);

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
    return { first, last: browser.xsrfToken() === undefined ? first : await post() };
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
    throw new Blocked(`registering failed: ${describeResponse(exchange)}`);
  }

  /** Repeats a refused sign-in, once per account, on new connections: each may have its process. */
  const signInLate = (account: Account, first: ApiCall) =>
    getOrCreate(lateSignIns, account.name, async () => {
      const { email, password, browser, registration } = account;
      const send = () => browser.call('login', { email, password }, { onNewConnection: true });
      const tries: ApiCall[] = [first];
      while (tries.length < 5) tries.push(await send());
      const isSoon = tries.some(({ outcome }) => outcome.ok);
      if (!isSoon) {
        await http.clock.sleep(lateMs);
        tries.push(await send(), await send());
      }
      const working = tries.filter(({ outcome }) => outcome.ok);
      const login = working.at(-1) ?? first;
      const isLate = !isSoon && working.length === 2;
      const description = isLate
        ? 'A right email and password are refused five times, and accepted 0.5 s later.'
        : `A right email and password sign in ${working.length} of ${tries.length} times, on new connections.`;
      const isEarlier = (each: Exchange) =>
        each.startedAfter < first.exchange.startedAfter && isSignInOf(each, email);
      const hint = isLate
        ? { words: 'The account is stored after the response.', isRefutedBy: isEarlier }
        : undefined;
      const words = isLate ? 'accounts sign in only 0.5 s later' : 'accounts sign in now and then';
      if (working.length > 0)
        refusedSignIns.push(
          createProblem(description, [registration, login, first], {
            hint,
            userSees: describeScreen(first),
            cause: { words, subject: email },
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
        refusedSignIns.push(createProblem(description, [account.registration, login], { cause }));
      throw new Blocked(`signing in failed: ${describeResponse(login.exchange)}`);
    }
    // The app also opens the projects after signing in.
    const list = await browser.listProjects();
    return { ...account, browser, login, list };
  }

  return {
    origin,
    http,
    secrets,
    fixtures,
    /** Origin of the app, when it differs from the backend's origin (`--origin`). */
    appOrigin: httpOptions.appOrigin,
    ui,
    /** Why sign-ins with the right password failed. SIGNIN-17 reports it. */
    refusedSignIns,
    /** Lists that lacked a project only at first. PROJECT-4 reports them. */
    lateProjects: [] as Problem[],
    signInLate,
    /** What the error cases that were sent have brought, by the function that sends it. */
    errorCases: new Map<unknown, Promise<ApiCall | Exchange>>(),
    newBrowser,
    postWithXsrfCookie,
    tryRegister,
    registeredAccount,
    /** Registers an account and signs in, once per name. Throws `Blocked` if that fails. */
    signedInUser: (name: string) => getOrCreate(users, name, () => newSession(name)),
    newSession,
  };
}
