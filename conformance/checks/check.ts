import type { ApiCall } from '../http/simulated-browser.ts';
import type { Exchange } from '../http/client.ts';
import type { RunContext } from '../run-context.ts';

/**
 * MUST: without it the app breaks, or tells its users what is not so. SHOULD: what the contract asks for beyond that. PROFILE: a
 * choice that the specification leaves open; it is noted and never fails.
 */
export type Level = 'MUST' | 'SHOULD' | 'PROFILE';

export type Check = {
  /** Stays with the check for good: when a check goes, its id is not given to another. */
  id: string;
  level: Level;
  /** What is so when the check is met. */
  title: string;
  /** What the backend has to do, for somebody who writes one. */
  needs: string;
  /** Statements of docs/specification.md. */
  statements: string[];
  run: (context: RunContext) => Promise<Verdict>;
};

/** Nothing when the check is met; what a PROFILE found. */
export type Verdict = void | { note: string };

/** Something that is not as it has to be. */
export type Problem = {
  /** What is wrong, for somebody who writes backends. */
  what: string;
  /** The calls that show it, the telling one last. What made people and signed them in is added by itself. */
  exchanges: Exchange[];
  /** What a person at the screen sees of it. */
  sees?: string | undefined;
};

/** Thrown by a check that is not met. */
export class CheckFailed extends Error {
  readonly problems: Problem[];

  constructor(problems: Problem[]) {
    super(problems.map(({ what }) => what).join(' '));
    this.problems = problems;
  }
}

/** Thrown where something that a check builds on does not work, which another check reports. */
export class Blocked extends Error {}

/** Thrown where a backend has no such thing as the check is about. */
export class Skipped extends Error {}

/** Ends a check: there is nothing to look at. */
export function skip(why: string): never {
  throw new Skipped(why);
}

/** Ends a check: it is not met. */
export function fail(
  what: string,
  shown: (Exchange | ApiCall | undefined)[] = [],
  sees?: string,
): never {
  throw new CheckFailed([problem(what, shown, sees)]);
}

export function problem(
  what: string,
  shown: (Exchange | ApiCall | undefined)[] = [],
  sees?: string,
): Problem {
  const there = shown.filter((one) => one !== undefined);
  const exchanges = there.flatMap((one) => ('exchanges' in one ? one.exchanges : [one]));
  const last = there.at(-1);
  return {
    what,
    exchanges,
    sees: sees ?? (last && 'outcome' in last ? describeScreen(last) : undefined),
  };
}

/** Ends a check whose call failed for a reason of the backend's own, which ERR-20 and REACH-5 report. */
export function blockedByFailure({ exchange }: ApiCall) {
  if (!exchange.response || statusOf(exchange) >= 500)
    throw new Blocked(describeResponse(exchange));
}

/** Ends a check that found problems. */
export function failIfAny(problems: Problem[]) {
  if (problems.length > 0) throw new CheckFailed(problems);
}

/** What the person at the screen sees when one of the app's calls has ended so. */
export function describeScreen({ operation, outcome, exchange }: ApiCall): string {
  if (exchange?.failure?.kind === 'timeout') {
    return operation === 'listProjects'
      ? '"Loading projects…", for good'
      : 'the button stays busy, for good';
  }
  if (operation === 'listProjects') {
    if (!outcome.ok)
      return 'an empty list: "No projects to show." (only the console knows that fetching it failed)';
    const { length } = outcome.value as unknown[];
    return length === 0
      ? '"No projects to show."'
      : `a list of ${length} project${length > 1 ? 's' : ''}`;
  }
  if (operation === 'registerUser') {
    return outcome.ok
      ? 'the screen "Sign in", as after a successful registration'
      : 'no text at all: the form "Create an account" as it was';
  }
  if (operation === 'login') {
    if (outcome.ok) return 'the projects, as after signing in';
    return outcome.ok === false
      ? `red banner: "${outcome.message}"`
      : 'the form again, without a message';
  }
  if (outcome.ok) return `a new row: "${shortened((outcome.value as { title: string }).title)}"`;
  return outcome.ok === false
    ? `red banner: "${outcome.message}"`
    : 'no new row and no message, as if the button did nothing';
}

export function shortened(text: string, length = 80): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** What came back, in a few words. */
export function describeResponse({ response, failure }: Exchange): string {
  if (!response) return `no whole answer: ${failure?.message ?? 'nothing came'}`;
  const type = response.headers.find(([name]) => name === 'content-type')?.[1];
  const to = response.headers.find(([name]) => name === 'location')?.[1];
  if (to !== undefined && response.status >= 300 && response.status < 400) {
    return `${response.status}, a redirect to ${to}`;
  }
  const text = response.text.trim().replaceAll(/\s*\n\s*/g, ' ');
  const strange = text.match(/[^\P{Cc}\t]|\uFFFD/gu)?.length ?? 0;
  const isText = strange <= text.length / 5;
  const shown = isText ? shortened(text, 120) : `${response.bytes.length} bytes that are no text`;
  const body = text === '' ? 'an empty body' : shown;
  return `${response.status} ${type ? `(${type}) ` : ''}${body}`;
}

export const statusOf = ({ response }: Exchange): number => response?.status ?? 0;

export const isSuccess = (exchange: Exchange): boolean =>
  statusOf(exchange) >= 200 && statusOf(exchange) < 300;

export const isRefusal = (exchange: Exchange): boolean =>
  statusOf(exchange) >= 400 && statusOf(exchange) < 500;

/** The `message` that the app would show, if there is one. */
export function messageOf({ response }: Exchange): string | undefined {
  const body = jsonOf(response?.text);
  if (typeof body !== 'object' || body === null) return undefined;
  const { message } = body as { message?: unknown };
  return typeof message === 'string' && message.trim() !== '' ? message : undefined;
}

/** What is wrong with the `message` of a refusal, in words; nothing when it is a text with something in it. */
export function messageFault(exchange: Exchange): string | undefined {
  if (messageOf(exchange) !== undefined) return undefined;
  const { response } = exchange;
  const text = response?.text.trim() ?? '';
  if (text === '') return 'the body is empty';
  const body = jsonOf(text);
  if (body === undefined)
    return /^<(!doctype|html|h1|pre)/i.test(text)
      ? 'the body is an HTML page'
      : 'the body is no JSON';
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return `the body is ${describeType(body)} and no object`;
  }
  if (!('message' in body)) {
    const keys = Object.keys(body).map((key) => `"${key}"`);
    return `the body has no "message"${keys.length > 0 ? `; it has ${keys.slice(0, 6).join(', ')}` : ''}`;
  }
  const { message } = body;
  return typeof message === 'string'
    ? 'its "message" is empty'
    : `its "message" is ${describeType(message)}, not text`;
}

export function jsonOf(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '') as unknown;
  } catch {
    return undefined;
  }
}

/** Why a body is no JSON, where it can be told, to be put after "no JSON". */
export function whyNoJson({ response }: Exchange): string {
  const { bytes, text, headers } = response!;
  if (bytes[0] === 0x1f && bytes[1] === 0x8b)
    return ', as it is compressed (gzip) and has no "Content-Encoding: gzip"';
  if (text.includes('\0')) return ', as it is UTF-16 and not UTF-8';
  const length = headers.find(([name]) => name === 'content-length')?.[1];
  const isBroken = /^\s*[[{]/.test(text) && !/[\]}]\s*$/.test(text);
  return isBroken && Number(length) === bytes.length
    ? `, as it breaks off after the ${length} bytes of its Content-Length (are characters counted in place of bytes?)`
    : '';
}

export function describeType(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'string') return `the text ${JSON.stringify(shortened(value, 40))}`;
  return `the ${typeof value} ${JSON.stringify(value)}`;
}
