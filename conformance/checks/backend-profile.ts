import { lowerFirst } from '../describe.ts';
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
import type { Check } from './check.ts';
import { errorCases, exchangeOf, triggerError } from './errors.ts';

/** Choices that the specification leaves open. They are noted and never fail. */
export const backendProfileChecks: Check[] = [
  profileCheck(
    'PROFILE-1',
    'Response statuses',
    'Any status that distinguishes success (2xx) from failure. The app reads nothing else from it.',
    ['CHOICE-11', 'CHOICE-16'],
    async (context) => {
      const { registration, login } = await context.signedInUser('ada');
      const calls = {
        registering: registration,
        'signing in': login,
        creating: await createFirstProject(context),
        'a wrong password': await loginWithWrongPassword(context),
        'an unknown email': await loginWithUnknownEmail(context),
        "a visitor's list": await listAsVisitor(context),
        "a visitor's project": await createAsVisitor(context),
      };
      return Object.entries(calls)
        .map(([name, { exchange }]) => `${name} ${statusOf(exchange) || 'no response'}`)
        .join(', ');
    },
  ),
  profileCheck(
    'PROFILE-2',
    'Visibility of projects',
    'Each user sees their own projects, or all users see all projects.',
    ['CHOICE-44', 'CHOICE-41'],
    async (context) =>
      (await isListShared(context))
        ? 'all users see all projects'
        : 'each user sees their own projects',
  ),
  profileCheck(
    'PROFILE-3',
    'List for visitors',
    'The list may be public, or require a session.',
    ['CHOICE-41', 'CHOICE-43'],
    async (context) =>
      (await isListPublic(context))
        ? 'visitors without an account may read the list'
        : `visitors may not read the list (${statusOf((await listAsVisitor(context)).exchange)})`,
  ),
  profileCheck(
    'PROFILE-4',
    'Projects of visitors',
    'Creating a project may be public, or require a session.',
    ['CHOICE-41', 'CHOICE-43'],
    async (context) => {
      const status = statusOf((await createAsVisitor(context)).exchange);
      return `visitors ${status < 300 ? 'may create projects' : `may not create projects (${status})`}`;
    },
  ),
  profileCheck(
    'PROFILE-5',
    'XSRF token',
    'Set a token and require it, or do neither.',
    ['CALL-4'],
    async (context) => {
      const { browser } = await context.signedInUser('ada');
      const isRequired = statusOf(await createWithoutToken(context)) >= 400;
      if (browser.xsrfToken() === undefined) return 'the backend sets no token';
      return `the backend sets a token and ${isRequired ? 'requires it' : 'does not require it'}`;
    },
  ),
  profileCheck(
    'PROFILE-6',
    'Type of ids',
    'An id is a string or an integer.',
    ['ENTITY-1'],
    async (context) => {
      await createFirstProject(context);
      const { projects } = await listOrBlock((await context.signedInUser('ada')).browser);
      const types = new Set(projects.map(({ id }) => `${typeof id}s`));
      return types.size > 0 ? `ids are ${[...types].join(' and ')}` : 'the list has no project';
    },
  ),
  profileCheck(
    'PROFILE-7',
    'Role of a new account',
    'The response to registering may have a role, which is any string.',
    ['ROLE-1', 'CHOICE-46'],
    async (context) => {
      const { outcome } = (await context.registeredAccount('ada')).registration;
      const role = outcome.ok ? outcome.value.role : undefined;
      return `a new account has ${role === undefined ? 'no role' : `the role "${role}"`}`;
    },
  ),
  profileCheck(
    'PROFILE-8',
    'Cookies at registration',
    'Registering may sign the user in. The app still asks the user to sign in.',
    ['AUTH-8', 'REGISTER-5'],
    async (context) => {
      const { exchange } = (await context.registeredAccount('ada')).registration;
      const lines = exchange.response?.headers.filter(([name]) => name === 'set-cookie') ?? [];
      return `registering sets ${lines.length || 'no'} cookie${lines.length > 1 ? 's' : ''}`;
    },
  ),
  profileCheck(
    'PROFILE-9',
    'Rejected input',
    'A backend may validate more strictly than the app.',
    ['CHOICE-25', 'CHOICE-26', 'CONST-2'],
    async (context) => {
      const rules = [];
      for (const errorCase of errorCases) {
        const { subject, noteIfAccepted } = errorCase;
        if (!noteIfAccepted) continue;
        const result = await triggerError(context, errorCase).catch(() => undefined);
        if (!result) continue;
        const exchange = exchangeOf(result);
        const status = statusOf(exchange);
        const message = messageOf(exchange);
        rules.push(
          status < 300 && status > 0
            ? noteIfAccepted
            : `${lowerFirst(subject)}: ${status || 'no response'}${message ? ` "${message}"` : ''}`,
        );
      }
      return rules.join('; ');
    },
  ),
  profileCheck(
    'PROFILE-10',
    'Idempotency-Key',
    'A backend may honour the key that the app sends with each new project.',
    ['CHOICE-7'],
    async (context) => {
      const { browser } = await context.signedInUser('bob');
      const headers = { 'idempotency-key': `key-${context.fixtures.runId}-profile` };
      const project = context.fixtures.project('with a key of its own');
      const ids = [];
      for (let attempt = 0; attempt < 2; attempt++) {
        const { outcome } = await browser.createProject(project, { headers });
        ids.push(outcome.ok ? outcome.value.id : undefined);
      }
      return ids[0] !== undefined && ids[0] === ids[1]
        ? 'honoured: a repeated request creates no second project'
        : 'not honoured: a repeated request creates a second project, and so does a user who tries again after a lost answer';
    },
  ),
  profileCheck(
    'PROFILE-11',
    'Cookies',
    'Any names and lifetimes, except the name XSRF-TOKEN.',
    ['CALL-3', 'CALL-4'],
    async (context) => {
      const cookies = (await context.signedInUser('ada')).browser.allCookies();
      return (
        cookies
          .map(({ key, maxAge, expires }) => `${key} (${describeLifetime(maxAge, expires)})`)
          .join(', ') || 'none'
      );
    },
  ),
];

function profileCheck(
  id: string,
  title: string,
  requirement: string,
  statements: string[],
  describe: (context: RunContext) => Promise<string>,
): Check {
  const run = async (context: RunContext) => ({ note: await describe(context) });
  return { id, level: 'PROFILE', title, requirement, statements, run };
}

function describeLifetime(maxAge: unknown, expires: unknown): string {
  const untilExpiry = expires instanceof Date ? (expires.getTime() - Date.now()) / 1000 : undefined;
  const seconds = typeof maxAge === 'number' ? maxAge : untilExpiry;
  if (seconds === undefined) return 'until the browser is closed';
  const [hours, days] = [Math.round(seconds / 3600), Math.round(seconds / 86_400)];
  if (days > 1) return `${days} days`;
  return hours > 1 ? `${hours} hours` : `${Math.round(seconds / 60)} minutes`;
}
