import { createHttpClient, type HttpClientOptions } from '../http/client.ts';
import type { Exchange } from '../http/record.ts';
import { headerValues, parseJson } from '../http/response.ts';
import { cookieValues, createSecrets } from '../http/secrets.ts';
import { SimulatedBrowser } from '../http/simulated-browser.ts';
import type { Problem } from '../problems/problem.ts';
import { createAccounts } from './accounts.ts';
import type { Fixtures } from './fixtures.ts';
import { getOrCreate } from './get-or-create.ts';

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

/** State that the checks of one run share. */
export type RunContext = ReturnType<typeof createRunContext>;

export type RunContextOptions = Omit<HttpClientOptions, 'onExchange'>;

export function createRunContext(
  origin: string,
  fixtures: Fixtures,
  httpOptions: RunContextOptions = {},
) {
  const secrets = createSecrets();
  const addSecrets = ({ request, response }: Exchange) => {
    const { password } = Object(parseJson(String(request.body))) as { password?: unknown };
    if (typeof password === 'string') secrets.add(password);
    const lines = headerValues(response, 'set-cookie');
    for (const value of lines.flatMap(cookieValues)) secrets.add(value);
  };
  const http = createHttpClient(origin, { ...httpOptions, onExchange: addSecrets });
  let browserCount = 0;

  const newBrowser = (name: string) =>
    new SimulatedBrowser(http, `${name} ${++browserCount}`, name);

  const problems = new Map<string, Problem[]>();
  const reportedTo = (id: string) => getOrCreate(problems, id, (): Problem[] => []);
  const reportTo = (id: string, problem: Problem) => void reportedTo(id).push(problem);

  return {
    origin,
    http,
    secrets,
    fixtures,
    /** Origin of the app, when it differs from the backend's origin (`--origin`). */
    appOrigin: httpOptions.appOrigin === origin ? undefined : httpOptions.appOrigin,
    newBrowser,
    reportTo,
    reportedTo: (id: string): readonly Problem[] => reportedTo(id),
    ...createAccounts(http, fixtures, newBrowser, reportTo),
  };
}
