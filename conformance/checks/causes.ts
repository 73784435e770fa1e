import type { Check } from './check.ts';

/** What a request of a browser without a session needs. */
const request = ['REACH-1', 'REACH-3', 'REACH-6', 'REACH-11', 'XSRF-1'];
const connection = [...request, 'COOKIE-1', 'COOKIE-2'];
const account = [...connection, 'XSRF-2', 'XSRF-3', 'ACCOUNT-1', 'ACCOUNT-2'];
const lasting = ['SIGNIN-16', 'SIGNIN-14', 'SIGNIN-7', 'SIGNIN-12', 'SIGNIN-13'];
const session = [...account, ...lasting, 'SIGNIN-6', 'SIGNIN-15'];
const encoding = ['REACH-2', 'REACH-6'];
const project = [...encoding, ...session, 'PROJECT-1', 'PROJECT-2', 'PROJECT-3'];
/** What a project needs that shows its text. */
const text = [...request, ...session, 'PROJECT-1', 'PROJECT-2', 'PROJECT-3', 'PROJECT-4'];
const list = [...project, 'PROJECT-17', 'PROJECT-6', 'PROJECT-7', 'PROJECT-4', 'PROJECT-8'];
const projectCases = [4, 10, 11, 12, 16, 19, 24, 30, 31, 32, 33, 35].map((n) => `ERR-${n}`);
/** What a single request shows, before a sequence matters. */
const single = ['REACH', 'CORS', 'COOKIE', 'XSRF', 'ACCOUNT', 'SIGNIN', 'PROJECT', 'TEXT', 'ERR'];

/**
 * The checks in causal order, each with the checks and groups whose failure can cause its own. A
 * group stands for its checks that have no row, and as a cause for its MUST checks.
 */
const causesOf: Record<string, string[]> = {
  'REACH-1': [],
  'REACH-5': ['REACH-1'],
  'XSRF-1': ['REACH-1'],
  'REACH-11': ['REACH-1', 'XSRF-1'],
  'REACH-3': ['REACH-1', 'XSRF-1'],
  'REACH-6': ['REACH-1'],
  'REACH-2': ['REACH-1', 'REACH-3', 'REACH-6', 'REACH-11', 'XSRF-1'],
  CORS: ['REACH-1'],
  'COOKIE-1': connection,
  'COOKIE-2': connection,
  'XSRF-2': connection,
  'XSRF-3': [...connection, 'XSRF-2'],
  'ACCOUNT-1': [...request, ...encoding],
  'ACCOUNT-2': [...request, ...encoding, 'ACCOUNT-1'],
  'SIGNIN-16': connection,
  'SIGNIN-14': [...connection, 'SIGNIN-16'],
  'SIGNIN-7': [...connection, 'SIGNIN-16', 'SIGNIN-14'],
  'SIGNIN-12': [...connection, 'SIGNIN-16', 'SIGNIN-14'],
  'SIGNIN-13': [...connection, 'SIGNIN-16', 'SIGNIN-14', 'SIGNIN-7', 'SIGNIN-12'],
  'SIGNIN-6': [...session, 'ACCOUNT-7'],
  'SIGNIN-15': session,
  'SIGNIN-1': request,
  'SIGNIN-2': request,
  'SIGNIN-3': ['SIGNIN-1'],
  'ACCOUNT-9': session,
  'ACCOUNT-10': [...request, 'ACCOUNT-1', 'ACCOUNT-2'],
  'ACCOUNT-14': list,
  'ACCOUNT-18': session,
  ACCOUNT: [...request, 'ACCOUNT-1', 'ACCOUNT-2', 'ACCOUNT-10'],
  'SIGNIN-4': ['SIGNIN-1', 'SIGNIN-2'],
  'SIGNIN-5': ['SIGNIN-1', 'SIGNIN-2'],
  'PROJECT-1': [...encoding, ...session],
  'PROJECT-2': [...encoding, ...session],
  'PROJECT-3': [...encoding, ...session, 'PROJECT-1'],
  'PROJECT-17': project,
  'PROJECT-6': [...project, 'PROJECT-17'],
  'PROJECT-7': [...project, 'PROJECT-17'],
  'PROJECT-4': [...project, 'PROJECT-17', 'PROJECT-6', 'PROJECT-7'],
  'PROJECT-8': [...project, 'PROJECT-6', 'PROJECT-7', 'PROJECT-4'],
  'PROJECT-10': list,
  'PROJECT-9': [...list, 'PROJECT-10'],
  PROJECT: list,
  'TEXT-9': text,
  TEXT: list,
  'SIGNIN-9': list,
  'SIGNIN-8': list,
  'SIGNIN-11': [...list, 'SIGNIN-9'],
  SIGNIN: [...list, 'SIGNIN-9'],
  'COOKIE-7': [...list, 'SIGNIN-9'],
  'COOKIE-6': [...list, 'SIGNIN-9'],
  COOKIE: connection,
  XSRF: [...session, 'COOKIE'],
  'REACH-4': ['REACH-1'],
  'ERR-20': connection,
  'ERR-21': request,
  'ERR-1': [...request, 'SIGNIN-1'],
  'ERR-2': [...request, 'SIGNIN-2'],
  'ERR-5': [...request, 'ACCOUNT-7'],
  'ERR-17': [...request, 'REACH-4'],
  ERR: request,
  ...Object.fromEntries(projectCases.map((id) => [id, text])),
  REACH: session,
  LEAK: ['REACH-1'],
  JOURNEY: single,
  'JOURNEY-6': [...single, 'JOURNEY-5'],
  UI: [...single, 'JOURNEY'],
};

const groupOf = (id: string) => id.split('-')[0]!;
const rowOf = (id: string) => (id in causesOf ? id : groupOf(id));
const rankOf = ({ id }: Check) => Object.keys(causesOf).indexOf(rowOf(id));

/** Compares two checks by their causal order. */
export const compareCauses = (a: Check, b: Check): number => rankOf(a) - rankOf(b);

/** Returns whether a failure of `cause` can be why `check` failed. */
export function isCauseOf(cause: Check, check: Check): boolean {
  const needs = [...(check.needs ?? []), ...(causesOf[rowOf(check.id)] ?? [])];
  if (compareCauses(cause, check) >= 0) return false;
  return needs.includes(cause.id) || (cause.level === 'MUST' && needs.includes(groupOf(cause.id)));
}
