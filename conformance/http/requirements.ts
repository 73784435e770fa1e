import type { Exchange } from './record.ts';
import { emailOf, hasSucceeded, headerValues, isSuccess, statusOf } from './response.ts';

/** Returns exchanges of a run together with the earlier ones that they depend on, in order. */
export function withRequirements(all: Exchange[], exchanges: Exchange[]): Exchange[] {
  const needed = new Set<Exchange>();
  for (const exchange of exchanges) addNeeded(exchange, all, needed);
  return all.filter((exchange) => needed.has(exchange));
}

/** Adds an exchange, those that ran at the same time, and those that it depends on. */
function addNeeded(exchange: Exchange, all: Exchange[], needed: Set<Exchange>) {
  if (needed.has(exchange)) return;
  needed.add(exchange);
  const end = all.indexOf(exchange);
  const earlier = all.slice(0, end).toReversed();
  const own = earlier.filter(({ browserName }) => browserName === exchange.browserName);
  // Not each response that renewed a cookie since: a repetition does not need them.
  const signIn = own.find((each) => hasSucceeded(each, '/login'));
  const setters = exchange.cookies.map(({ name, setBy }) =>
    setBy?.browserName === exchange.browserName && signIn && setCookieOf(signIn, name)
      ? signIn
      : setBy,
  );
  const email = emailOf(exchange);
  const registration =
    email && earlier.find((each) => hasSucceeded(each, '/register') && emailOf(each) === email);
  const concurrent = all.filter(
    (each, index) => index >= exchange.startedAfter && each.startedAfter <= end,
  );
  // What else happened to an account may be why its session ended.
  const [setter] = setters;
  const sinceSignIn = setter ? all.slice(all.indexOf(setter) + 1, end) : [];
  const hasEnded =
    [401, 403].includes(statusOf(exchange)) &&
    sinceSignIn.some((each) => each.browserName === exchange.browserName && isSuccess(each));
  const others = sinceSignIn.filter((each) => hasEnded && emailOf(each) === emailOf(setter!));
  for (const each of [...setters, registration, ...concurrent, ...others])
    if (each) addNeeded(each, all, needed);
}

/** Returns the name and the value of a cookie that a response sets. */
export const setCookieOf = ({ response }: Exchange, name: string) =>
  headerValues(response, 'set-cookie')
    .find((line) => line.startsWith(`${name}=`))
    ?.split(';')[0];
