/** Who may see a project. The record of a run tells who created it, and who lists it. */
import type { Project } from '../../machines/types.ts';
import { nameOf } from '../http/project-texts.ts';
import { Blocked, isAlone, type Exchange } from '../http/record.ts';
import { emailOf, hasSucceeded, isSuccess, parseJson } from '../http/response.ts';
import { isOfKit } from '../people/fixtures.ts';
import { oncePerRun, type RunContext } from '../people/run-context.ts';
import { countIn, truncate } from '../problems/describe.ts';
import { fail, skip } from '../problems/problem.ts';

/** A project in a list, with the request that created it. */
type Row = { project: Partial<Project>; owner: string | undefined; create?: Exchange | undefined };

/** A list, and as whom its browser requested it: an email, or a visitor. */
type View = { list: Exchange; viewer: string; rows: Row[] };

const visitor = 'A visitor without an account';

/**
 * Returns as whom a browser lists or creates. Undefined for a response that is no success, and for
 * cookies that the kit changed or took from another browser.
 */
function viewerOf(exchanges: Exchange[], exchange: Exchange): string | undefined {
  const { request, browserName, startedAfter, cookies } = exchange;
  const isForged = cookies.some(({ isChanged }) => isChanged);
  if (!isSuccess(exchange) || !/\/projects\/?$/.test(request.path) || isForged) return undefined;
  const last = exchanges
    .slice(0, startedAfter)
    .findLast(
      (each) => each.browserName === browserName && /login|register/.test(each.request.path),
    );
  if (!last)
    return cookies.every(({ setBy }) => setBy?.browserName === browserName) ? visitor : undefined;
  // A registration may begin a session of the new account.
  return hasSucceeded(last, '/login') ? emailOf(last) : undefined;
}

/** Compares texts too, because two users may have projects with the same id. */
const keyOf = (project: Partial<Project>) => `${project.id} ${nameOf(project)}`;

function listViews({ http: { exchanges }, fixtures }: RunContext): View[] {
  const registered = new Set(
    exchanges.filter((each) => hasSucceeded(each, '/register')).map(emailOf),
  );
  const creates = new Map<string, Omit<Row, 'project'>>();
  const isEarlier = (project: Partial<Project>) =>
    isOfKit(project) && !JSON.stringify(project).includes(fixtures.runId);
  return exchanges.flatMap((exchange) => {
    const viewer = viewerOf(exchanges, exchange);
    // An email without a registration is another form of one of an account.
    if (viewer === undefined || (viewer !== visitor && !registered.has(viewer))) return [];
    const body = parseJson(exchange.response?.text);
    const key = keyOf(Object(body));
    if (exchange.request.method === 'POST' && viewer !== visitor) {
      const first = creates.get(key) ?? { owner: viewer, create: exchange };
      // Two users may each have a project with this id and this name.
      creates.set(key, first.owner === viewer ? first : { owner: undefined });
    }
    if (!Array.isArray(body)) return [];
    const rows = body.map((row): Row => {
      const project: Partial<Project> = Object(row);
      const owner = isEarlier(project) ? 'A user of an earlier run' : undefined;
      // PROJECT-1 reports projects without what tells them apart.
      return { project, owner, ...(nameOf(project) && creates.get(keyOf(project))) };
    });
    return [{ list: exchange, viewer, rows }];
  });
}

const isForeign = ({ viewer }: View, { owner }: Row) => owner !== undefined && owner !== viewer;

const showsForeign = (view: View) => view.rows.some((row) => isForeign(view, row));

/** Returns whether the lists of ada and of bob each have projects of both. */
export const isListShared = oncePerRun(async (context): Promise<boolean> => {
  const browsers = [];
  for (const name of ['ada', 'bob']) {
    const { browser } = await context.signedInUser(name);
    await browser.createProject(context.fixtures.project('to be seen'));
    browsers.push(browser);
  }
  const lists: Exchange[] = [];
  for (const browser of browsers) lists.push((await browser.listProjects()).exchange);
  const views = listViews(context).filter(({ list }) => lists.includes(list));
  const owners = views.map(({ rows }) => rows.map(({ owner }) => owner));
  return (
    views.length === lists.length &&
    views.every(({ viewer }) => owners.every((each) => each.includes(viewer)))
  );
});

/** Why such checks do not apply, which the verdict repeats. */
export const sharedNote =
  'All users see the same projects. If that is not meant, look at the query of the list, and at what requests share.';

/** Returns the note if a check of these has it. */
export const noteOfSharing = (results: { note?: string | undefined }[]) =>
  results.some(({ note }) => note === sharedNote) ? [sharedNote] : [];

/** Skips a check that is about the projects of one user. */
export async function skipIfShared(context: RunContext) {
  if (await isListShared(context)) skip(sharedNote);
}

/**
 * Blocks a check in which a user misses a project, if users see projects of each other: that
 * explains it. PROJECT-22 reports it.
 */
export async function blockIfForeign(context: RunContext) {
  if (await isListShared(context)) return;
  for (const name of ['ada', 'bob'])
    await (await context.signedInUser(name)).browser.listProjects();
  if (listViews(context).some((view) => view.viewer !== visitor && showsForeign(view)))
    throw new Blocked({ words: 'users see projects of other users', checks: ['PROJECT-22'] });
}

/** What to do about a list or a project that another user gets, one after the other or at once. */
const separateUsers =
  'Read the user from each request alone, not from a variable of a thread or of the process. Put the user into the key of every cache of lists, in the backend and in front of it.';

const boundToConnection = {
  detail: 'On four new connections, none does.',
  requirement:
    'Find the user of each request by its cookie. Keep none for a connection, a thread or a process.',
};

/** Fails if a list of the run so far shows users, or else visitors, a project of another user. */
export async function expectOwnLists(context: RunContext, areUsers: boolean) {
  const { exchanges } = context.http;
  const all = listViews(context);
  const views = all.filter(({ viewer }) => (viewer !== visitor) === areUsers);
  const { found, words } = countIn(views, showsForeign);
  // What also happens to one request alone is not because of others.
  const view = found.find(({ list }) => isAlone(exchanges, list)) ?? found[0];
  if (!view) return;
  const { list, viewer, rows } = view;
  const foreign = rows.filter((row) => isForeign(view, row));
  const isOfOne = ({ create }: Row) => !create || isAlone(exchanges, create);
  const { project, owner, create } = foreign.find(isOfOne) ?? foreign[0]!;
  const same = all.find(
    (each) =>
      each.list.response!.text === list.response!.text &&
      each.viewer !== viewer &&
      exchanges.indexOf(each.list) < list.startedAfter,
  );
  const isAtOnce = areUsers && !(isAlone(exchanges, list) && foreign.some(isOfOne));
  const apart = areUsers ? [] : await context.http.resend(list);
  const what = same
    ? 'gets the list of a user who listed before'
    : isAtOnce
      ? 'sees a project of another user after requests at once'
      : `sees projects of another user in ${words} lists`;
  fail(`${areUsers ? 'A user' : visitor} ${what}.`, [same?.list ?? create, list], {
    detail: `${viewer} sees "${truncate(nameOf(project)!, 40)}". ${owner} created it.`,
    userSees: "another user's projects",
    ...((same || isAtOnce) && { requirement: separateUsers }),
    ...(!areUsers && !apart.some(isSuccess) && boundToConnection),
  });
}
