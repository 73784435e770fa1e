import { sharesText } from '../http/project-texts.ts';
import { parseJson } from '../http/response.ts';
import { oncePerRun } from '../people/run-context.ts';
import { asUser } from '../people/visits.ts';
import { fail } from '../problems/problem.ts';
import { createOrBlock } from '../requests/creates.ts';
import { createListed, expectListed, findByIdOrText, listOrBlock } from '../requests/lists.ts';
import { blockIfForeign, expectOwnLists, skipIfShared } from '../requests/owners.ts';
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
      const after = "After another user creates a project, a user's list lacks one.";
      await expectListed(context, browser, [created], after, [created.call, theirs]);
      const again = await laterSession(context);
      const elsewhere = 'The list of a user who signs in from another browser lacks a project.';
      await expectListed(context, again.browser, [created], elsewhere, [created.call, again.login]);
    }),
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
      await blockIfForeign(context);
      const json = { ...context.fixtures.project('that takes an id'), id: created.project.id };
      const { id = 1 } = Object(parseJson(ada.registration.exchange.response?.text)) as {
        id?: unknown;
      };
      const owner = { user_id: id, userId: id, owner_id: id, ownerId: id, owner: ada.email };
      const sent = { ...context.fixtures.project('that names an owner'), ...owner };
      const call = await bob.browser.createProject(sent, { isAppRequest: false });
      // The control: a list may have only the first projects of a user.
      await createListed(context, bob.browser, 'that names no owner');
      const own = await listOrBlock(context, bob.browser);
      if (call.outcome.ok && !findByIdOrText(own.projects, call.outcome.value))
        fail(
          'A request chooses the owner of its project: the list of its user lacks it.',
          [call, own.call],
          { lacks: call.outcome.value },
        );
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
      await listAsManyVisitors(context);
      await expectOwnLists(context, false);
    }),
  }),
  must('PROJECT-22', {
    title: 'A user sees no project of another user',
    requirement:
      'Compare the whole id of the user in the query of the list, not a part of it or of the email. Show each user their own projects, or show all users the same.',
    statements: ['CHOICE-44', 'CHOICE-47', 'CALL-3'],
    after: ['SIGNIN-9', 'PROJECT-24'],
    inspects: true,
    async run(context) {
      await skipIfShared(context);
      const { email, browser } = await context.signedInUser('ada');
      const { browser: other } = await context.signedInUser('bob');
      const atOnce = Array.from({ length: 6 }, () => [browser, other]).flat();
      const creates = await Promise.all(
        atOnce.map((each, index) =>
          each.createProject(context.fixtures.project(`${index + 1} of twelve at once`)),
        ),
      );
      const lists = await Promise.all(atOnce.map((each) => each.listProjects()));
      const [own, list] = [creates[0]!.outcome, lists[0]!.outcome];
      // A cache may have a list of before for two seconds.
      if (own.ok && list.ok && !findByIdOrText(list.value, own.value))
        await context.http.clock.sleep(2500);
      for (const each of [browser, other]) await each.listProjects();
      await expectOwnLists(context, true);
      const emails = { namesake: email.replace('@', '@mail.'), namesake2: `x${email}` };
      for (const [name, similar] of Object.entries(emails)) {
        await context.tryRegister(name, { email: similar });
        const user = await context.signedInUser(name);
        await user.browser.createProject(context.fixtures.project(`of ${name}`));
      }
      await browser.listProjects();
      await expectOwnLists(context, true);
    },
  }),
];

/** Returns ada in a second browser, which signed in later than the first one. */
export const laterSession = oncePerRun((context) => context.newSession('ada'));
