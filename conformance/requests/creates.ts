import { Blocked } from '../http/record.ts';
import { createHash } from 'node:crypto';
import type { NewProject } from '../../machines/types.ts';
import { isSuccess } from '../http/response.ts';
import type { ApiCall, SimulatedBrowser } from '../http/simulated-browser.ts';
import type { RunContext } from '../people/run-context.ts';

/** Creates a project of the fixtures. Blocks the check when that fails. */
export async function createOrBlock(
  context: RunContext,
  browser: SimulatedBrowser,
  name: string,
  keyName?: string,
) {
  const sent = context.fixtures.project(name);
  const call = await (keyName === undefined
    ? browser.createProject(sent)
    : createWithKey(context, browser, sent, keyName));
  if (!call.outcome.ok) throw failedCreate(call);
  return { call, sent, project: call.outcome.value };
}

/** Returns what blocks a check that needs a project. */
export const failedCreate = ({ exchange }: ApiCall) =>
  new Blocked({
    words: 'creating a project failed',
    exchange,
    ...(isSuccess(exchange) && { checks: ['PROJECT-2'] }),
  });

/** Creates a project with this Idempotency-Key, which has the format of the app's own keys. */
export function createWithKey(
  context: RunContext,
  browser: SimulatedBrowser,
  project: NewProject,
  keyName: string,
) {
  const hash = createHash('sha256').update(`${keyName} ${context.fixtures.runId}`);
  const headers = { 'idempotency-key': hash.digest('hex').slice(0, 32) };
  return browser.createProject(project, { headers, isAppRequest: false });
}

export function createWithToken(
  context: RunContext,
  browser: SimulatedBrowser,
  token: string | undefined,
  origin: Record<string, string | undefined> = {},
) {
  return browser.send('POST', '/api/v1/projects', {
    json: context.fixtures.project('with another token'),
    headers: { ...origin, 'x-xsrf-token': token },
  });
}
