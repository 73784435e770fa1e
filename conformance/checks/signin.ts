import { describeResponse } from '../describe.ts';
import { isClientError, messageOf, statusOf } from '../http/response.ts';
import type { ApiCall } from '../http/simulated-browser.ts';
import { loginWithUnknownEmail, loginWithWrongPassword } from '../probes.ts';
import { fail, skip } from '../verdict.ts';
import { must, should, type Check } from './check.ts';

export const signInChecks: Check[] = [
  must('SIGNIN-1', {
    title: 'A wrong password does not sign in',
    requirement: 'Respond with a status outside 2xx (401). The app does not read the body.',
    statements: ['AUTH-5', 'ERROR-1', 'CHOICE-16'],
    async run(context) {
      expectRejection('a wrong password', await loginWithWrongPassword(context));
    },
  }),
  must('SIGNIN-2', {
    title: 'An unknown email does not sign in',
    requirement: 'Respond to an unknown email as to a wrong password, outside 2xx (401).',
    statements: ['AUTH-5', 'ERROR-1', 'CHOICE-16'],
    async run(context) {
      expectRejection('an email without an account', await loginWithUnknownEmail(context));
    },
  }),
  should('SIGNIN-4', {
    title: 'A wrong password and an unknown email get the same response',
    requirement: 'Respond with the same status and message, so that no account is revealed.',
    statements: ['ERROR-1', 'AUTH-5'],
    async run(context) {
      const wrong = await loginWithWrongPassword(context);
      const unknown = await loginWithUnknownEmail(context);
      if (wrong.outcome.ok || unknown.outcome.ok) skip('one of them signs in');
      const isSame =
        statusOf(wrong.exchange) === statusOf(unknown.exchange) &&
        messageOf(wrong.exchange) === messageOf(unknown.exchange);
      if (!isSame)
        fail(
          `The backend responds to a wrong password with ${describeResponse(wrong.exchange)}, and to an unknown email with ${describeResponse(unknown.exchange)}.`,
          [wrong, unknown],
        );
    },
  }),
  should('SIGNIN-5', {
    title: 'A wrong password and an unknown email take the same time',
    requirement: 'Hash a password for unknown emails too, so that the time reveals no account.',
    statements: ['AUTH-5'],
    async run(context) {
      const wrong = await loginWithWrongPassword(context);
      const unknown = await loginWithUnknownEmail(context);
      // The minimum of several samples, because other load on the machine only adds to the time.
      let [wrongMs, unknownMs] = [wrong.exchange.durationMs, unknown.exchange.durationMs];
      const isRevealing = () => wrongMs - unknownMs > 15 && wrongMs > 3 * unknownMs;
      const { email, password } = await context.signedInUser('ada');
      for (let round = 0; round < 6 && isRevealing(); round++) {
        // A right password, so that the backend does not lock the account.
        if (round % 3 === 0) await context.newBrowser('ada').login(email, password);
        const again = await context.newBrowser('ada').login(email, `${password}?`);
        const unknownEmail = context.fixtures.email(`unknown${round}`);
        const other = await context.newBrowser('ada').login(unknownEmail, `${password}?`);
        wrongMs = Math.min(wrongMs, again.exchange.durationMs);
        unknownMs = Math.max(unknownMs, other.exchange.durationMs);
      }
      if (isRevealing())
        fail(
          `A wrong password takes ${Math.round(wrongMs)} ms or more, an unknown email ${Math.round(unknownMs)} ms or less: the time reveals which emails have an account.`,
          [wrong, unknown],
        );
    },
  }),
];

function expectRejection(credentials: string, call: ApiCall) {
  const response = `The backend responds to ${credentials} with ${describeResponse(call.exchange)}`;
  if (call.outcome.ok) fail(`${response}, which signs the user in.`, [call]);
  if (!isClientError(call.exchange)) fail(`${response} instead of a status 4xx.`, [call]);
}
