import { isIP } from 'node:net';
import { canonicalEmail } from '../auth/emails.ts';
import { hashEmail, networksOf } from '../auth/throttle.ts';
import { UsageError } from '../../shared/usage-error.ts';
import { runWithStore } from './startup.ts';

const usage = `Usage: node server/commands/unlock.ts EMAIL
       node server/commands/unlock.ts ADDRESS

Forgets the attempts to sign in that are counted for an account from all addresses, or those that
are counted for an IP address with all emails. The server may be running.`;

await runWithStore(usage, async (argument, store) => {
  const isAddress = isIP(argument) > 0;
  if (!isAddress && !argument.includes('@')) {
    throw new UsageError(`"${argument}" is neither an email nor an IP address.`);
  }
  const networks = isAddress ? networksOf(argument) : undefined;
  const email = canonicalEmail(argument);
  if (!networks && !(await store.findAccount(email))) {
    throw new UsageError(`No account has the email ${argument}.`);
  }
  const count = await store.deleteBuckets(networks ? '' : hashEmail(email), networks);
  const name = networks?.join(' and ') ?? argument;
  const hint = networks ? '' : ' To clear the limits of an IP address, name it.';
  console.log(count > 0 ? `Unlocked ${name}.${hint}` : `No attempts are counted for ${name}.`);
});
