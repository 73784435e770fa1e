import type { Project } from '../../machines/types.ts';
import { nameOf, sharesText } from '../http/project-texts.ts';
import type { Exchange } from '../http/record.ts';
import { emailOf, hasSucceeded, isSuccess, parseJson, statusOf } from '../http/response.ts';
import type { ApiCall, SimulatedBrowser } from '../http/simulated-browser.ts';
import { isOfKit } from '../people/fixtures.ts';
import { oncePerRun } from '../people/run-context.ts';
import { asUser } from '../people/visits.ts';
import { countIn } from '../problems/describe.ts';
import { expectSuccess, fail } from '../problems/problem.ts';
import { createOrBlock } from '../requests/creates.ts';
import {
  createListed,
  failIfMissing,
  findByIdOrText,
  findProjectOf,
  isSameProject,
  listOrBlock,
  listWith,
  skipIfShared,
} from '../requests/lists.ts';
import { isUnauthorized } from '../requests/sign-ins.ts';
import { listAsManyVisitors } from '../requests/visitors.ts';
import { type Check, must } from './check.ts';

export const projectUserChecks: Check[] = [
  must('PROJECT-8', {
    title: 'Projects are still there after signing in again',
    requirement:
      'Store projects per user, not per session, so that another browser shows them. Find the user of each request by its cookie, never in a variable that requests share.',
    statements: ['APP-2', 'CHOICE-9', 'CHOICE-44'],
    after: ['PROJECT-4'],
    run: asUser('ada', async (context, browser) => {
      const created = await createListed(context, browser, 'to stay');
      const other = await context.signedInUser('tess');
      const { call: theirs } = await createOrBlock(context, other.browser, 'of another browser');
      const next = await listWith(context, browser, [created]);
      const after = "After another user creates a project, a user's list lacks one.";
      failIfMissing(next, after, [created.call, theirs]);
      const again = await laterSession(context);
      const last = await listWith(context, again.browser, [created]);
      const elsewhere = 'The list of a user who signs in from another browser lacks a project.';
      failIfMissing(last, elsewhere, [created.call, again.login]);
    }),
  }),
  must('PROJECT-11', {
    title: "No user gets the response to another user's request",
    requirement:
      'Respond to concurrent requests by the cookies of each request. Keep the session in the request, never in a global, and put no shared cache in front.',
    statements: ['CHOICE-47', 'CALL-3'],
    after: ['PROJECT-6', 'LEAK-4'],
    async run(context) {
      await skipIfShared(context);
      const users: User[] = [];
      for (const name of ['ada', 'bob']) {
        const { browser } = await context.signedInUser(name);
        const created = await createOrBlock(context, browser, `own of ${name}`);
        const { call: create } = created;
        // A cache of two seconds may still have the list of another check.
        let { call, projects } = await listOrBlock(context, browser);
        const [before] = users;
        const isSame = projects.length > 0 && textOf(call) === (before && textOf(before.list));
        if (before && (isSame || (await findProjectOf(context, 'ada', projects))))
          fail(
            'A user gets the list of the user who listed just before.',
            [before.create, create, before.list, call],
            { requirement: separateLists },
          );
        if (!projects.some(isSameProject(created.project))) {
          await context.http.clock.sleep(2500);
          ({ call, projects } = await listOrBlock(context, browser));
        }
        users.push({ browser, own: projects, create, list: call });
      }
      const requests = Array.from({ length: 12 }, async (_, index) => {
        const { browser, own } = users[index % 2]!;
        // A project that is in neither list may have been stored late, or by another process.
        const others = users[1 - (index % 2)]!.own.filter((each) => !own.some(isSameProject(each)));
        return { others, list: await browser.listProjects() };
      });
      const lists = await Promise.all(requests);
      if (lists.some(({ list }) => statusOf(list.exchange) >= 500))
        // Blocks, unless the backend fails for concurrent requests only. ERR-20 reports the others.
        for (let count = 0; count < 24; count += 1) await listOrBlock(context, users[0]!.browser);
      for (const { others, list } of lists) {
        const failed = countIn(lists, (each) => !each.list.outcome.ok);
        const failure = `Listing at once fails in ${failed.words} requests`;
        const seen = expectSuccess(list, failure, [], {
          requirement: isUnauthorized(list)
            ? 'Keep sessions where every process, worker and instance finds them.'
            : 'Respond to twelve requests at once: look for a lock, a pool or a limit that they share.',
        });
        if (seen.some((project) => others.some(isSameProject(project))))
          await failForList(list, users as [User, User]);
      }
    },
  }),
  must('PROJECT-24', {
    title: 'A new project is that of its user, and never replaces that of another user',
    requirement:
      'Read only what the contract names of a new project. With an id from the request, save() overwrites a project.',
    statements: ['CREATE-2', 'CHOICE-44'],
    after: ['PROJECT-8'],
    async run(context) {
      const [ada, bob] = [await context.signedInUser('ada'), await context.signedInUser('bob')];
      const created = await createListed(context, ada.browser, 'to be kept');
      const json = { ...context.fixtures.project('that takes an id'), id: created.project.id };
      const { id = 1 } = Object(parseJson(ada.registration.exchange.response?.text)) as {
        id?: unknown;
      };
      const owner = { user_id: id, userId: id, owner_id: id, ownerId: id, owner: ada.email };
      const sent = { ...context.fixtures.project('that names an owner'), ...owner };
      const call = await bob.browser.createProject(sent, { isAppRequest: false });
      const given = call.outcome.ok ? [{ call, project: call.outcome.value }] : [];
      const lost = 'A request chooses the owner of its project: the list of its user lacks it.';
      failIfMissing(await listWith(context, bob.browser, given), lost, [call]);
      const taking = await bob.browser.send('POST', '/api/v1/projects', { json });
      const { projects, call: list } = await listOrBlock(context, ada.browser);
      const kept = findByIdOrText(projects, created.project);
      if (!kept || !sharesText(kept, created.sent))
        fail(
          `A project sent with the id of another user's project ${kept ? 'replaces' : 'removes'} that project.`,
          [created.call, taking, list],
          { plain: created.call },
        );
    },
  }),
  must('PROJECT-15', {
    title: 'Visitors do not see the projects of users',
    requirement:
      'When each user sees only their own projects, show none of them to visitors. Keep no user in a variable or a thread after a request.',
    statements: ['CHOICE-41', 'CHOICE-44', 'CHOICE-47'],
    after: ['PROJECT-8'],
    run: asUser('ada', async (context, browser) => {
      await skipIfShared(context);
      await createOrBlock(context, browser, 'of one person alone');
      const lists = await listAsManyVisitors(context);
      const { exchanges } = context.http;
      // Of each user, because a visitor may be taken for the first one.
      const owned = exchanges
        .filter((each) => each.request.method === 'POST' && signedInAccountOf(exchanges, each))
        .map((each) => Object(parseJson(each.response?.text)) as Project);
      const { found, words } = countIn(
        lists,
        ({ outcome }) => outcome.ok && outcome.value.some((row) => owned.some(isSameProject(row))),
      );
      const [seen] = found;
      if (!seen) return;
      const { request } = seen.exchange;
      const resend = () => context.http.send({ ...request, onNewConnection: true }, seen.exchange);
      const apart = await Promise.all([1, 2, 3, 4].map(resend));
      const boundToConnection = {
        detail: 'On four new connections, none does.',
        requirement:
          'Find the user of each request by its cookie. Keep none for a connection, a thread or a process.',
      };
      const description = `A visitor without an account sees projects of a user in ${words} lists.`;
      fail(description, [seen], apart.some(isSuccess) ? {} : boundToConnection);
    }),
  }),
  must('PROJECT-22', {
    title: 'A user sees no project of a single other user',
    requirement:
      'Compare the whole id of the user in the query of the list, not a part of it or of the email. Show each user their own projects, or show all users the same.',
    statements: ['CHOICE-44'],
    after: ['SIGNIN-9', 'PROJECT-20', 'PROJECT-24'],
    inspects: true,
    async run(context) {
      await skipIfShared(context);
      const { email, browser } = await context.signedInUser('ada');
      const emails = { namesake: email.replace('@', '@mail.'), namesake2: `x${email}` };
      for (const [name, similar] of Object.entries(emails)) {
        await context.tryRegister(name, { email: similar });
        const user = await context.signedInUser(name);
        await user.browser.createProject(context.fixtures.project(`of ${name}`));
      }
      await browser.listProjects();
      const { exchanges } = context.http;
      const owners = new Map<string, string>();
      const keyOf = (project: Partial<Project>) => `${project.id} ${nameOf(project)}`;
      for (const exchange of exchanges) {
        const account = signedInAccountOf(exchanges, exchange);
        if (account === undefined) continue;
        const body = parseJson(exchange.response?.text);
        const key = keyOf(Object(body));
        // A later response with it is one of a repeated Idempotency-Key.
        if (exchange.request.method === 'POST' && !owners.has(key)) owners.set(key, account);
        const rows = (Array.isArray(body) ? body : []).map((row): Partial<Project> => Object(row));
        // PROJECT-1 reports projects without what tells them apart.
        const foreign = rows.find(
          (row) =>
            (nameOf(row) !== undefined && (owners.get(keyOf(row)) ?? account) !== account) ||
            (isOfKit(row) && !JSON.stringify(row).includes(context.fixtures.runId)),
        );
        if (foreign)
          fail('A user sees a project of another user, and not all projects.', [exchange], {
            detail: `${account} sees "${nameOf(foreign)}".`,
          });
      }
    },
  }),
];

type User = { browser: SimulatedBrowser; own: Project[]; create: ApiCall; list: ApiCall };

/** Fails for a list that one of two users got of the other, at once or one after the other. */
async function failForList(list: ApiCall, [first, second]: [User, User]) {
  const before = await first.browser.listProjects();
  const after = await second.browser.listProjects();
  if (after.outcome.ok && textOf(before) === textOf(after))
    fail('A user gets the list of the user who listed just before.', [before, after], {
      requirement: separateLists,
    });
  fail(
    'Of two users who request their lists at once, one gets the list of the other.',
    [first.create, second.create, list],
    { userSees: "another user's projects" },
  );
}

/** What to do about a list that is sent to another user, one after the other or at once. */
export const separateLists =
  'Read the user from each request alone, not from a variable of a thread or of the process. Put the user into the key of every cache of lists, in the backend and in front of it.';

const textOf = ({ exchange }: ApiCall) => exchange.response?.text;

/** Returns ada in a second browser, which signed in later than the first one. */
export const laterSession = oncePerRun((context) => context.newSession('ada'));

/** Returns the email with which a browser signed in before it listed or created projects. */
function signedInAccountOf(exchanges: Exchange[], exchange: Exchange): string | undefined {
  const { request, browserName, startedAfter, cookies } = exchange;
  const isForged = cookies.some(({ filter }) => filter !== undefined);
  if (!isSuccess(exchange) || request.path !== '/api/v1/projects' || isForged) return undefined;
  const last = exchanges
    .slice(0, startedAfter)
    .findLast(
      (each) => each.browserName === browserName && /login|register/.test(each.request.path),
    );
  // A registration may begin a session of the new account.
  const email = last && hasSucceeded(last, '/login') ? emailOf(last) : undefined;
  // An email without a registration is another form of one of an account.
  const isOfAccount = exchanges.some(
    (each) => hasSucceeded(each, '/register') && emailOf(each) === email,
  );
  return isOfAccount ? email : undefined;
}
