import type { Check } from './check.ts';
import { triggerError, errorCases } from './errors.ts';
import { messageOf, statusOf } from '../http/response.ts';
import {
  createAsVisitor,
  createFirstProject,
  createWithoutToken,
  isListPublic,
  isListShared,
  listAsVisitor,
  listOrBlock,
  loginWithUnknownEmail,
  loginWithWrongPassword,
} from '../probes.ts';
import type { RunContext } from '../run-context.ts';
import type { Verdict } from '../verdict.ts';

/** Choices that the specification leaves open. They are noted, and never fail. */
export const profileChecks: Check[] = [
  choice(
    'PROFILE-1',
    'Statuses',
    'The app knows success from failure, and nothing else of a status.',
    ['CHOICE-11', 'CHOICE-16'],
    async (context) => {
      const { registration, login } = await context.signedInUser('ada');
      const exchanges = {
        registering: registration.exchange,
        'signing in': login.exchange,
        creating: (await createFirstProject(context)).exchange,
        'a wrong password': (await loginWithWrongPassword(context)).exchange,
        'an unknown email': (await loginWithUnknownEmail(context)).exchange,
        "a visitor's list": (await listAsVisitor(context)).exchange,
        "a visitor's project": (await createAsVisitor(context)).exchange,
      };
      return Object.entries(exchanges)
        .map(([what, exchange]) => `${what} ${statusOf(exchange) || 'no answer'}`)
        .join(', ');
    },
  ),
  choice(
    'PROFILE-2',
    'Who sees which project',
    'People may see their own projects, or all of them.',
    ['CHOICE-44', 'CHOICE-41'],
    async (context) =>
      (await isListShared(context))
        ? "everybody sees everybody's projects"
        : 'people see their own projects',
  ),
  choice(
    'PROFILE-3',
    'What visitors see',
    'A list may be open to whoever is not signed in.',
    ['CHOICE-41', 'CHOICE-43'],
    async (context) =>
      (await isListPublic(context))
        ? 'visitors without an account may read the list'
        : `visitors are refused the list (${statusOf((await listAsVisitor(context)).exchange)})`,
  ),
  choice(
    'PROFILE-4',
    'What visitors create',
    'Creating may be open to whoever is not signed in.',
    ['CHOICE-41', 'CHOICE-43'],
    async (context) => {
      const { exchange } = await createAsVisitor(context);
      return statusOf(exchange) < 300
        ? 'visitors may create projects'
        : `visitors are refused (${statusOf(exchange)})`;
    },
  ),
  choice(
    'PROFILE-5',
    'Whether the XSRF token is asked for',
    'A backend may give a token and ask for it, or leave both out.',
    ['CALL-4'],
    async (context) => {
      const given = (await context.signedInUser('ada')).browser.xsrfToken() !== undefined;
      const asked = statusOf(await createWithoutToken(context)) >= 400;
      return given
        ? asked
          ? 'a token is given and asked for'
          : 'a token is given and not asked for'
        : 'no token is given';
    },
  ),
  choice('PROFILE-6', 'Ids', 'An id is text or a whole number.', ['ENTITY-1'], async (context) => {
    await createFirstProject(context);
    const { projects } = await listOrBlock((await context.signedInUser('ada')).browser);
    const kinds = new Set(projects.map(({ id }) => (typeof id === 'string' ? 'text' : 'numbers')));
    return kinds.size > 0 ? `ids are ${[...kinds].join(' and ')}` : 'no project was seen';
  }),
  choice(
    'PROFILE-7',
    'The role',
    'The answer to registering may say a role, which is any text.',
    ['ROLE-1', 'CHOICE-46'],
    async (context) => {
      const { outcome } = (await context.registeredAccount('ada')).registration;
      const role = outcome.ok ? outcome.value.role : undefined;
      return role === undefined
        ? 'a new account has no role'
        : `a new account has the role "${role}"`;
    },
  ),
  choice(
    'PROFILE-8',
    'Whether registering signs in',
    'The app asks for signing in after registering; a backend may have done it already.',
    ['AUTH-8', 'REGISTER-5'],
    async (context) => {
      const { registration } = await context.registeredAccount('ada');
      const cookies =
        registration.exchange.response?.headers.filter(([name]) => name === 'set-cookie').length ??
        0;
      return cookies > 0
        ? `registering sets ${cookies} cookie${cookies > 1 ? 's' : ''}`
        : 'registering sets no cookie';
    },
  ),
  choice(
    'PROFILE-9',
    'What is refused',
    "Rules of validation beyond the app's own are the backend's.",
    ['CHOICE-25', 'CHOICE-26', 'CONST-2'],
    async (context) => {
      const rules = [];
      for (const situation of errorCases.filter((each) => each.noteIfAccepted)) {
        const { subject: what, noteIfAccepted: mayBeAccepted } = situation;
        const provoked = await triggerError(context, situation);
        const exchange = 'outcome' in provoked ? provoked.exchange : provoked;
        const status = statusOf(exchange);
        rules.push(
          status < 300 && status > 0
            ? mayBeAccepted!
            : `${what.charAt(0).toLowerCase()}${what.slice(1)}: ${status || 'no answer'}${messageOf(exchange) ? ` "${messageOf(exchange)}"` : ''}`,
        );
      }
      return rules.join('; ');
    },
  ),
  choice(
    'PROFILE-10',
    'Idempotency-Key',
    'A backend may honour the key that the app sends with each project.',
    ['CHOICE-7'],
    async (context) => {
      const { browser } = await context.signedInUser('bob');
      const headers = { 'idempotency-key': `key-${context.fixtures.runId}-profile` };
      const { title, description } = context.fixtures.project('with a key of its own');
      const ids = [];
      for (let time = 0; time < 2; time++) {
        const { outcome } = await browser.createProject({ title, description }, { headers });
        ids.push(outcome.ok ? outcome.value.id : undefined);
      }
      return ids[0] !== undefined && ids[0] === ids[1]
        ? 'honoured: a repeated call makes no second project'
        : 'not honoured: a repeated call makes a second project';
    },
  ),
  choice(
    'PROFILE-11',
    'Cookies',
    "Names and lifetimes of cookies are the backend's own affair, but for XSRF-TOKEN.",
    ['CALL-3', 'CALL-4'],
    async (context) => {
      const all = (await context.signedInUser('ada')).browser.allCookies();
      const shown = all.map(({ key, maxAge, expires }) => `${key} (${lifetime(maxAge, expires)})`);
      return shown.join(', ') || 'none';
    },
  ),
];

function choice(
  id: string,
  title: string,
  needs: string,
  statements: string[],
  note: (context: RunContext) => Promise<string>,
): Check {
  return {
    id,
    level: 'PROFILE',
    title,
    requirement: needs,
    statements,
    run: async (context): Promise<Verdict> => ({ note: await note(context) }),
  };
}

function lifetime(maxAge: unknown, expires: unknown): string {
  const seconds =
    typeof maxAge === 'number'
      ? maxAge
      : expires instanceof Date
        ? (expires.getTime() - Date.now()) / 1000
        : undefined;
  if (seconds === undefined) return 'until the browser is closed';
  const [hours, days] = [Math.round(seconds / 3600), Math.round(seconds / 86_400)];
  return days > 1
    ? `${days} days`
    : hours > 1
      ? `${hours} hours`
      : `${Math.round(seconds / 60)} minutes`;
}
