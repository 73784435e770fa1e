import type { Project } from '../../machines/types.ts';
import { projectOf } from '../http/project-texts.ts';
import type { ApiCall, SimulatedBrowser } from '../http/simulated-browser.ts';
import type { Note } from '../problems/problem.ts';
import type { SignedInUser } from './accounts.ts';
import { oncePerRun, type RunContext } from './run-context.ts';

/** Creates the `run` of a check that gets the browser of a signed-in user. */
export const asUser =
  (person: string, run: (context: RunContext, browser: SimulatedBrowser) => Promise<Note>) =>
  async (context: RunContext) =>
    run(context, (await context.signedInUser(person)).browser);

/** A user who has just signed in, fetched the list and created a project. */
export type Visit = SignedInUser & { create: ApiCall<Project> };

/** Creates a project with this name after a sign-in. */
export const visitAs = async (context: RunContext, user: SignedInUser, name: string) =>
  ({ ...user, create: await user.browser.createProject(context.fixtures.project(name)) }) as Visit;

export const firstVisit = oncePerRun(async (context) =>
  visitAs(context, await context.signedInUser('ada'), 'first'),
);

/** Not more often the same user, in case the backend limits the sessions of a user. */
const visitors = ['ada', 'bob', 'olga', 'ada', 'bob', 'cleo', 'ada', 'bob', 'dora', 'olga'];

/** Signs in ten times in a row, because some tokens or some creates may fail. */
export const manyVisits = oncePerRun(async (context) => {
  const visits: Visit[] = [];
  for (const [index, name] of visitors.entries()) {
    const user = await context.newSession(name);
    visits.push(await visitAs(context, user, `right after sign-in ${index + 1}`));
  }
  return visits;
});

const taken = new WeakSet<Visit>();

/** Returns a session that no other check uses. The caller may end it. */
export async function takeSession(context: RunContext, name: string): Promise<Visit> {
  const visits = await manyVisits(context);
  const own = visits.filter((visit) => visit.name === name && !taken.has(visit));
  const visit =
    own.find(({ list, create }) => list.outcome.ok && create.outcome.ok) ??
    own[0] ??
    (await visitAs(context, await context.newSession(name), 'in another session'));
  taken.add(visit);
  return visit;
}

/** Returns ada's session that several checks use, but none ends. */
export const activeSession = oncePerRun((context) => takeSession(context, 'ada'));

/** Signs olga in from a browser in which ada is signed in. */
export const signInAsAnother = oncePerRun(async (context) => {
  const first = await takeSession(context, 'ada');
  const { browser } = first;
  const oldBrowser = browser.clone('ada, before olga');
  const oldToken = browser.xsrfToken();
  const account = await context.registeredAccount('olga');
  const login = await browser.login(account.email, account.password);
  return { first, browser, oldBrowser, oldToken, account, login };
});

/** Makes the requests of an ordinary visit, except those that are error cases. */
export const makeOrdinaryVisit = oncePerRun(async (context) => {
  await context.newBrowser('visitor').listProjects();
  const { browser } = await context.signedInUser('ada');
  await browser.createProject(projectOf(() => 'Größe 5 µm und 3 €'));
  await browser.listProjects();
});
