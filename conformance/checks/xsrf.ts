import type { Check } from './check.ts';
import { describeMessageFault, describeResponse } from '../describe.ts';
import { isClientError, isSuccess, statusOf } from '../http/response.ts';
import { createWithoutToken, createWithToken } from '../probes.ts';
import { Blocked, fail, failIfAny, problem, skip } from '../verdict.ts';

export const xsrfChecks: Check[] = [
  {
    id: 'XSRF-1',
    level: 'MUST',
    title: 'A browser that comes for the first time can register and sign in',
    requirement:
      'The app asks for nothing before: the first POST of a fresh browser has no cookie and no X-XSRF-TOKEN. Give the token with an answer, and ask for it only from browsers that have it.',
    statements: ['CALL-4', 'CHOICE-21', 'APP-1'],
    async run(context) {
      const email = context.fixtures.email('cold');
      const password = context.fixtures.password('cold');
      context.secrets.add(password);
      const registration = await context.newBrowser('cold').registerUser(email, password);
      const person = await context.registeredAccount('ada');
      const login = await context.newBrowser('ada').login(person.email, person.password);
      failIfAny([
        ...(isClientError(registration.exchange)
          ? [
              problem(
                `The first POST of a fresh browser, registering, is refused with ${describeResponse(registration.exchange)}.`,
                [registration],
              ),
            ]
          : []),
        ...(isClientError(login.exchange)
          ? [
              problem(
                `The first POST of a fresh browser, signing in, is refused with ${describeResponse(login.exchange)}.`,
                [person.registration, login],
              ),
            ]
          : []),
      ]);
    },
  },
  {
    id: 'XSRF-2',
    level: 'MUST',
    title: 'The app can read the XSRF-TOKEN cookie',
    requirement:
      'XSRF-TOKEN is not HttpOnly and has the path /: the app lives at / and repeats the value in a header.',
    statements: ['CALL-4', 'CHOICE-21'],
    async run(context) {
      const user = await context.signedInUser('ada');
      const cookie = user.browser.allCookies().find(({ key }) => key === 'XSRF-TOKEN');
      const similar = user.browser
        .allCookies()
        .find(({ key, httpOnly }) => !httpOnly && /x?[cx]srf/i.test(key) && key !== 'XSRF-TOKEN');
      const create = await user.browser.createProject(context.fixtures.project('by cookie'));
      const refused = isClientError(create.exchange) ? create : undefined;
      if (cookie?.httpOnly)
        fail(
          'The XSRF-TOKEN cookie is HttpOnly: the app cannot read it, and sends no X-XSRF-TOKEN.',
          [user.login, refused],
        );
      if (cookie && user.browser.xsrfToken() === undefined) {
        fail(
          `The XSRF-TOKEN cookie has the path ${cookie.path}${cookie.pathIsDefault ? ' (by default, as it came without Path)' : ''}: the app, which lives at /, cannot read it.`,
          [user.login, refused],
        );
      }
      if (!cookie && similar && refused) {
        fail(
          `The anti-forgery cookie is named "${similar.key}", and the app looks for "XSRF-TOKEN".`,
          [user.login, refused],
        );
      }
      const isForgery = refused && [403, 419].includes(statusOf(refused.exchange));
      if (!cookie && isForgery && (await user.browser.listProjects()).outcome.ok) {
        fail(
          `The list comes and creating is refused with ${describeResponse(refused.exchange)}, and there is no XSRF-TOKEN cookie: the app has no token to send. Signing in has to set it (and not to delete it).`,
          [user.login, refused],
        );
      }
      if (!cookie) skip('no XSRF-TOKEN cookie is set');
    },
  },
  {
    id: 'XSRF-3',
    level: 'MUST',
    title: 'The token that the app sends is taken',
    requirement:
      'The app sends the percent-decoded value of the XSRF-TOKEN cookie as it last got it. Compare it with the decoded value, and give a new cookie whenever another token is expected.',
    statements: ['CALL-4', 'CHOICE-21'],
    async run(context) {
      const { browser, login } = await context.signedInUser('ada');
      const cookie = browser.allCookies().find(({ key }) => key === 'XSRF-TOKEN');
      if (!cookie || browser.xsrfToken() === undefined) skip('the app sends no token');
      for (const name of ['with a token', 'with a token again']) {
        const create = await browser.createProject(context.fixtures.project(name));
        if (!isClientError(create.exchange)) continue;
        if (statusOf(create.exchange) === 401) {
          throw new Blocked(
            `creating a project did not work: ${describeResponse(create.exchange)}`,
          );
        }
        const raw = await browser.createProject(context.fixtures.project('with a raw token'), {
          headers: { 'x-xsrf-token': cookie.value },
          isAppRequest: false,
        });
        const encoded = cookie.value !== browser.xsrfToken() && raw.outcome.ok;
        fail(
          encoded
            ? 'The token of the XSRF-TOKEN cookie is percent-encoded, and compared with the header without being decoded.'
            : `With the token of the XSRF-TOKEN cookie in X-XSRF-TOKEN, creating is refused with ${describeResponse(create.exchange)}.${signsIn(cookie.value)}`,
          [login, create],
        );
      }
    },
  },
  {
    id: 'XSRF-4',
    level: 'SHOULD',
    title: 'Signing in gives another token',
    requirement:
      'The token belongs to the session: after signing in it is another one, so that nobody who knew the old one can use it.',
    statements: ['CALL-4', 'CHOICE-47'],
    async run(context) {
      const user = await context.newSession('bob');
      const { browser } = user;
      const before = browser.xsrfToken();
      if (before === undefined) skip('the app gets no token');
      const again = await browser.login(user.email, user.password);
      if (!again.outcome.ok) skip('signing in again does not work');
      if (browser.xsrfToken() === before)
        fail(
          'After signing in again, in the same browser, the XSRF-TOKEN cookie is the same as before.',
          [...user.login.exchanges, ...again.exchanges],
        );
      const other = (await context.signedInUser('ada')).browser.xsrfToken();
      if (other === before) fail('Two people have the same XSRF token.', [user.login]);
    },
  },
  {
    id: 'XSRF-5',
    level: 'SHOULD',
    title: 'Where the token is asked for, a wrong one is refused',
    requirement:
      'A backend that refuses a missing X-XSRF-TOKEN compares a given one with the one of this very session, and refuses any other, with a message.',
    statements: ['CALL-4', 'ERROR-5'],
    async run(context) {
      const { browser } = await context.signedInUser('ada');
      const without = await createWithoutToken(context);
      if (isSuccess(without)) skip('a missing token is accepted');
      if (!isClientError(without))
        fail(`A missing token is answered with ${describeResponse(without)}.`, [without]);
      const fault = describeMessageFault(without);
      const wrong = await createWithToken(context, browser, 'wrong-token-0123456789abcdef');
      const strange = await createWithToken(
        context,
        browser,
        (await context.signedInUser('bob')).browser.xsrfToken() ?? 'none',
      );
      failIfAny([
        ...(fault
          ? [
              problem(
                `A missing token is refused with ${statusOf(without)}, and ${fault}.`,
                [without],
                'red banner: "Internal Server Error"',
              ),
            ]
          : []),
        ...(isSuccess(wrong)
          ? [
              problem('A missing X-XSRF-TOKEN is refused, and any value at all is accepted.', [
                without,
                wrong,
              ]),
            ]
          : []),
        ...(isSuccess(strange) && !isSuccess(wrong)
          ? [problem('The token of one person is accepted from another one.', [without, strange])]
          : []),
      ]);
    },
  },
];

/** What may have gone wrong with a token that is more than letters and digits. */
function signsIn(value: string): string {
  const signs = [...new Set(value.replaceAll(/[\w.-]/g, ''))].join(' ');
  return signs === ''
    ? ''
    : ` The cookie's value has ${signs} in it: percent-encode it there, and take the header as it comes, undecoded and unquoted.`;
}
