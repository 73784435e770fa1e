import type { Cookie } from 'tough-cookie';
import { lowerFirst } from '../describe.ts';
import { isSuccess, messageOf, statusOf } from '../http/response.ts';
import { createListed, createWithKey, describeCreateFailure, isListShared } from '../probes.ts';
import type { RunContext } from '../run-context.ts';
import { Blocked } from '../verdict.ts';
import type { Run, Verdicts } from './check.ts';
import { describeAcceptance, errorCases, exchangeOf, triggerJudged } from './errors.ts';

/** Choices that the specification leaves open. They are noted and never fail. */
export const backendProfileChecks: Verdicts = {
  'PROFILE-2': noted(async (context) => {
    if (await isListShared(context)) return 'all users see all projects';
    for (const name of ['ada', 'bob']) {
      const { browser } = await context.signedInUser(name);
      await createListed(context, browser, 'to be seen by its user');
    }
    return 'each user sees their own projects';
  }),
  'PROFILE-9': noted(async (context) => {
    const rules = [];
    for (const errorCase of errorCases.filter(({ mayBeAccepted }) => mayBeAccepted)) {
      const result = await triggerJudged(context, errorCase).catch(() => undefined);
      if (!result) continue;
      const exchange = exchangeOf(result);
      const status = statusOf(exchange);
      // The session ended: that shows no rule about the input.
      if (status === 401 && errorCase.id !== 'ERR-3') continue;
      const message = messageOf(exchange);
      rules.push(
        isSuccess(exchange)
          ? describeAcceptance(errorCase)
          : `${lowerFirst(errorCase.subject)}: ${status || 'no response'}${message ? ` "${message}"` : ''}`,
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
      cookies.map((cookie) => `${cookie.key} (${describeLifetime(cookie)})`).join(', ') || 'none'
    );
  }),
};

function noted(describe: (context: RunContext) => Promise<string>): Run {
  return async (context) => ({ note: await describe(context) });
}

function describeLifetime(cookie: Cookie): string {
  const hours = cookie.TTL() / 3_600_000;
  if (hours === Infinity) return 'until the browser is closed';
  if (hours > 36) return `${Math.round(hours / 24)} days`;
  return hours > 1.5 ? `${Math.round(hours)} hours` : `${Math.round(hours * 60)} minutes`;
}
