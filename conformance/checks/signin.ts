import { describeResponse } from '../describe.ts';
import { isClientError, messageOf, statusOf } from '../http/response.ts';
import type { ApiCall } from '../http/simulated-browser.ts';
import { loginWithUnknownEmail, loginWithWrongPassword } from '../probes.ts';
import { fail, skip } from '../verdict.ts';
import type { Verdicts } from './check.ts';

export const signInChecks: Verdicts = {
  async 'SIGNIN-1'(context) {
    expectRejection('a wrong password', await loginWithWrongPassword(context));
  },
  async 'SIGNIN-2'(context) {
    expectRejection('an email without an account', await loginWithUnknownEmail(context));
  },
  async 'SIGNIN-4'(context) {
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
  async 'SIGNIN-5'(context) {
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
};

function expectRejection(credentials: string, call: ApiCall) {
  const response = `The backend responds to ${credentials} with ${describeResponse(call.exchange)}`;
  if (call.outcome.ok) fail(`${response}, which signs the user in.`, [call]);
  if (!isClientError(call.exchange)) fail(`${response} instead of a status 4xx.`, [call]);
}
