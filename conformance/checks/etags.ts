import { Blocked, type Exchange } from '../http/record.ts';
import { isSuccess, responseHeader, statusOf } from '../http/response.ts';
import type { SimulatedBrowser } from '../http/simulated-browser.ts';
import { asUser } from '../people/visits.ts';
import { fail, skip } from '../problems/problem.ts';
import { createOrBlock } from '../requests/creates.ts';
import { createListed, listOrBlock, listWith, missingFromList } from '../requests/lists.ts';
import { must, should, type Check } from './check.ts';

export const etagChecks: Check[] = [
  should('PROJECT-14', {
    title: 'A changed list is sent in full to its old ETag or time',
    requirement:
      'Change the ETag with the list, and send 304 only to the ETag of the present list. Send no Last-Modified: it counts seconds.',
    statements: ['LIST-3', 'PROJECTS-7'],
    after: ['PROJECT-8'],
    run: asUser('bob', async (context, browser) => {
      let before = (await listOrBlock(context, browser)).call.exchange;
      const validator = validatorOf(before);
      // One after the other, because it may be a time in seconds.
      for (let count = 1; count <= 4; count++) {
        const created = await createOrBlock(context, browser, `that changes ETag ${count}`);
        const conditional = await listIfChanged(browser, before);
        if (statusOf(conditional) === 304) {
          const { missing } = await listWith(context, browser, [created]);
          if (missing.length > 0) throw new Blocked(missingFromList);
          const when = count === 1 ? '' : ' soon after another change';
          fail(
            `A changed list gets 304 to its old ${validator}${when}.`,
            [before, created.call, conditional],
            { userSees: 'the list without the new project, which the browser keeps' },
          );
        }
        if (isSuccess(conditional)) before = conditional;
      }
    }),
  }),
  must('PROJECT-32', {
    title: "No user gets 304 to the ETag or time of another user's list",
    requirement:
      'Put the user into the ETag of the list, or make it of the whole list. With a number or a time alone, a browser shows the list of the user who signed in before.',
    statements: ['LIST-3', 'PROJECTS-7', 'CHOICE-47'],
    after: ['PROJECT-8'],
    run: asUser('hugo', async (context, browser) => {
      const { list } = await createListed(context, browser, 'of hugo');
      const { exchange } = list.call;
      const validator = validatorOf(exchange);
      const iris = await context.signedInUser('iris');
      const own = await createListed(context, iris.browser, 'of iris');
      const conditional = await listIfChanged(iris.browser, exchange);
      if (statusOf(conditional) !== 304) return;
      const invented = await sendConditional(iris.browser, '"kit"', new Date(0).toUTCString());
      if (statusOf(invented) === 304)
        fail(
          `A user gets 304 to an invented ${validator}, so a browser shows an old list.`,
          [own.list.call, invented],
          { requirement: 'Send 304 only if the ETag of the request is that of the present list.' },
        );
      fail(
        `A user gets 304 to the ${validator} of another user's list, so a browser shows that list.`,
        [own.list.call, exchange, conditional],
      );
    }),
  }),
];

/** Returns the name of what a browser sends back of a list. Skips the check if there is none. */
const validatorOf = (list: Exchange) =>
  ['ETag', 'Last-Modified'].find((name) => responseHeader(list, name.toLowerCase())) ??
  skip('the list has no ETag and no Last-Modified');

/** Requests a list as a browser does that keeps an earlier one. */
const listIfChanged = (browser: SimulatedBrowser, earlier: Exchange) =>
  sendConditional(
    browser,
    responseHeader(earlier, 'etag'),
    responseHeader(earlier, 'last-modified'),
  );

const sendConditional = (browser: SimulatedBrowser, etag?: string, lastModified?: string) =>
  browser.send('GET', '/api/v1/projects', {
    headers: { 'if-none-match': etag, 'if-modified-since': lastModified },
  });
