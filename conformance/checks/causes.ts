import type { Check } from './check.ts';

/** What a request of a browser without a session needs. */
const request = ['REACH-1', 'REACH-3', 'REACH-6', 'REACH-11', 'XSRF-1'];
const connection = [...request, 'COOKIE-1', 'COOKIE-2'];
const registration = [...request, 'ACCOUNT-1', 'ACCOUNT-2'];
const account = [...connection, ...registration, 'XSRF-2', 'XSRF-3', 'SIGNIN-17'];
const lasting = ['SIGNIN-16', 'SIGNIN-14', 'SIGNIN-7', 'SIGNIN-12', 'SIGNIN-13'];
const session = [...account, ...lasting, 'SIGNIN-6', 'SIGNIN-15'];
/** What a sign-in with an unusual email or password needs. */
const signIn = [...registration, 'SIGNIN-17', 'SIGNIN-1', 'SIGNIN-2', 'SIGNIN-3'];
/** What a project needs that shows its text. */
const text = [...session, 'PROJECT-1', 'PROJECT-2', 'PROJECT-3', 'PROJECT-4'];
const list = ['REACH-2', ...text, 'PROJECT-17', 'PROJECT-6', 'PROJECT-7', 'PROJECT-8'];
/** What a single request shows, before a sequence matters. */
const single = ['REACH', 'CORS', 'COOKIE', 'XSRF', 'ACCOUNT', 'SIGNIN', 'PROJECT', 'TEXT', 'ERR'];

/**
 * The checks in causal order, each with the checks and groups before it whose failure can cause its
 * own. A group stands for its checks that are not listed, and as a cause for its MUST checks.
 */
const rows: [checks: string, causes: string[]][] = [
  ['REACH-1 REACH-5 XSRF-1 REACH-11 REACH-3 REACH-6 REACH-2 CORS', request],
  ['COOKIE-1 COOKIE-2', account],
  ['XSRF-2', [...request, 'COOKIE-1']],
  ['XSRF-3', account],
  ['ACCOUNT-1 ACCOUNT-2', [...request, 'REACH-2', 'ACCOUNT-1']],
  ['SIGNIN-17', registration],
  ['SIGNIN-16 SIGNIN-14 SIGNIN-7 SIGNIN-12 SIGNIN-13', [...connection, ...lasting, 'SIGNIN-17']],
  ['SIGNIN-6 SIGNIN-15', session],
  ['SIGNIN-1 SIGNIN-2', request],
  ['ACCOUNT-9 ACCOUNT-18', session],
  ['SIGNIN-3 ACCOUNT-10 ACCOUNT-6 ACCOUNT-17', [...signIn, 'ACCOUNT-10']],
  ['ACCOUNT-4 ACCOUNT-5 ACCOUNT-13 ACCOUNT-20', [...signIn, 'ACCOUNT-4']],
  ['ACCOUNT-15 ACCOUNT-11 ACCOUNT-16 ACCOUNT-19', [...signIn, 'ACCOUNT-15']],
  ['ACCOUNT', [...registration, 'SIGNIN-17']],
  ['SIGNIN-4 SIGNIN-5', ['SIGNIN-1', 'SIGNIN-2']],
  ['PROJECT-1 PROJECT-2', ['REACH-2', ...session]],
  ['PROJECT-3', ['REACH-2', ...session, 'PROJECT-1']],
  ['PROJECT-17 PROJECT-6 PROJECT-7 PROJECT-4 PROJECT-8 PROJECT-23 PROJECT-10 PROJECT-16', list],
  ['ACCOUNT-14', [...list, 'PROJECT-10', 'PROJECT-16']],
  ['PROJECT-9 PROJECT-13 PROJECT-5', [...list, 'PROJECT-23', 'PROJECT-10', 'PROJECT-9']],
  ['PROJECT TEXT', list],
  ['SIGNIN-9 SIGNIN-8 SIGNIN-11 SIGNIN COOKIE-7 COOKIE-6', [...list, 'SIGNIN-9']],
  ['COOKIE', connection],
  ['XSRF', [...session, 'COOKIE']],
  ['ERR-21', request],
  ['ERR-1 ERR-2', [...request, 'SIGNIN-1', 'SIGNIN-2']],
  ['ERR-5', [...request, 'ACCOUNT-7']],
  ['ERR-36 ERR-37 ERR-38 ERR-39 ERR-40 ERR-43 ERR-44 ERR-45', [...request, 'ERR-21']],
  ['ERR', request],
  ['ERR-4 ERR-10 ERR-11 ERR-12 ERR-16 ERR-19 ERR-24', text],
  ['ERR-30 ERR-31 ERR-32 ERR-33 ERR-35 ERR-46 ERR-48', text],
  ['REACH', session],
  ['LEAK', ['REACH-1']],
  ['JOURNEY-1 JOURNEY-5 JOURNEY-6 UI', [...single, 'JOURNEY']],
];

const causesOf = new Map(
  rows.flatMap(([ids, causes]) => ids.split(' ').map((id) => [id, causes] as const)),
);

export const groupOf = (id: string) => id.split('-')[0]!;
const rowOf = (id: string) => (causesOf.has(id) ? id : groupOf(id));
const rankOf = ({ id }: Check) => [...causesOf.keys()].indexOf(rowOf(id));

/** Compares two checks by their causal order. */
export const compareCauses = (a: Check, b: Check): number => rankOf(a) - rankOf(b);

/** Returns whether a failure of `cause` can be why `check` failed. */
export function isCauseOf(cause: Check, check: Check): boolean {
  if (compareCauses(cause, check) >= 0) return false;
  const causes = causesOf.get(rowOf(check.id)) ?? [];
  return (
    causes.includes(cause.id) || (cause.level === 'MUST' && causes.includes(groupOf(cause.id)))
  );
}
