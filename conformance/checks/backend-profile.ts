import { lowerFirst } from '../describe.ts';
import { isSuccess, messageOf, statusOf } from '../http/response.ts';
import {
  createAsVisitor,
  createFirstProject,
  createOrBlock,
  createWithKey,
  createWithoutToken,
  describeCreateFailure,
  findProject,
  isListShared,
  listAsVisitor,
  listOrBlock,
  loginWithUnknownEmail,
  loginWithWrongPassword,
  missingFromList,
} from '../probes.ts';
import type { RunContext } from '../run-context.ts';
import { Blocked } from '../verdict.ts';
import type { Run, Verdicts } from './check.ts';
import { errorCases, exchangeOf, triggerJudged } from './errors.ts';

/** Choices that the specification leaves open. They are noted and never fail. */
export const backendProfileChecks: Verdicts = {
  'PROFILE-1': noted(async (context) => {
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
  }),
  'PROFILE-2': noted(async (context) => {
    if (await isListShared(context)) return 'all users see all projects';
    for (const name of ['ada', 'bob']) {
      const { browser } = await context.signedInUser(name);
      const { project } = await createOrBlock(context, browser, 'to be seen by its user');
      const { projects } = await listOrBlock(browser);
      if (!findProject(projects, project)) throw new Blocked(missingFromList);
    }
    return 'each user sees their own projects';
  }),
  'PROFILE-5': noted(async (context) => {
    const { browser } = await context.signedInUser('ada');
    const cookie = browser.allCookies().find(({ key }) => /[cx]srf/i.test(key));
    if (!cookie) return 'the backend sets no token';
    if (browser.xsrfToken() === undefined) throw new Blocked('the app cannot read the token');
    const without = await createWithoutToken(context);
    await createOrBlock(context, browser, 'with its token');
    return `the backend sets a token and ${isSuccess(without) ? 'does not require it' : 'requires it'}`;
  }),
  'PROFILE-6': noted(async (context) => {
    await createFirstProject(context);
    const { projects } = await listOrBlock((await context.signedInUser('ada')).browser);
    const types = new Set(projects.map(({ id }) => `${typeof id}s`));
    return types.size > 0 ? `ids are ${[...types].join(' and ')}` : 'the list has no project';
  }),
  'PROFILE-7': noted(async (context) => {
    const { outcome } = (await context.registeredAccount('ada')).registration;
    const role = outcome.ok ? outcome.value.role : undefined;
    return `a new account has ${role === undefined ? 'no role' : `the role "${role}"`}`;
  }),
  'PROFILE-8': noted(async (context) => {
    const { exchange } = (await context.registeredAccount('ada')).registration;
    const lines = exchange.response?.headers.filter(([name]) => name === 'set-cookie') ?? [];
    return `registering sets ${lines.length || 'no'} cookie${lines.length > 1 ? 's' : ''}`;
  }),
  'PROFILE-9': noted(async (context) => {
    const rules = [];
    for (const errorCase of errorCases) {
      const { subject, noteIfAccepted } = errorCase;
      if (!noteIfAccepted) continue;
      const result = await triggerJudged(context, errorCase).catch(() => undefined);
      if (!result) continue;
      const exchange = exchangeOf(result);
      const status = statusOf(exchange);
      // The session ended: that shows no rule about the input.
      if (status === 401 && errorCase.id !== 'ERR-3') continue;
      const message = messageOf(exchange);
      rules.push(
        status < 300 && status > 0
          ? noteIfAccepted
          : `${lowerFirst(subject)}: ${status || 'no response'}${message ? ` "${message}"` : ''}`,
      );
    }
    return rules.join('; ');
  }),
  'PROFILE-10': noted(async (context) => {
    const { browser } = await context.signedInUser('bob');
    const project = context.fixtures.project('with a key of its own');
    const ids = [];
    for (let attempt = 0; attempt < 2; attempt++) {
      const call = await createWithKey(context, browser, project, 'profile');
      if (!call.outcome.ok) throw new Blocked(describeCreateFailure(call));
      ids.push(call.outcome.value.id);
    }
    return ids[0] === ids[1]
      ? 'honoured: a repeated request creates no second project'
      : 'not honoured: a repeated request creates a second project, and so does a user who tries again after a lost answer';
  }),
  'PROFILE-11': noted(async (context) => {
    const cookies = (await context.signedInUser('ada')).browser.allCookies();
    return (
      cookies
        .map(({ key, maxAge, expires }) => `${key} (${describeLifetime(maxAge, expires)})`)
        .join(', ') || 'none'
    );
  }),
};

function noted(describe: (context: RunContext) => Promise<string>): Run {
  return async (context) => ({ note: await describe(context) });
}

function describeLifetime(maxAge: unknown, expires: unknown): string {
  const untilExpiry = expires instanceof Date ? (expires.getTime() - Date.now()) / 1000 : undefined;
  const seconds = typeof maxAge === 'number' ? maxAge : untilExpiry;
  if (seconds === undefined) return 'until the browser is closed';
  const [hours, days] = [Math.round(seconds / 3600), Math.round(seconds / 86_400)];
  if (days > 1) return `${days} days`;
  return hours > 1 ? `${hours} hours` : `${Math.round(seconds / 60)} minutes`;
}
