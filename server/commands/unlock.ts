import { isIP } from 'node:net';
import { hashEmail, networkOf, siteOf } from '../auth/throttle.ts';
import { UsageError } from '../usage-error.ts';
import { openConfiguredStore, runWithArgument } from './cli.ts';

const usage = `Usage: npm run unlock -- EMAIL
       npm run unlock -- ADDRESS

Forgets the attempts to sign in that are counted for an account from all addresses, or those that
are counted for an IP address with all emails. The server may be running.`;

await runWithArgument(usage, async (argument, settings) => {
  const isAddress = isIP(argument) > 0;
  if (!isAddress && !argument.includes('@')) {
    throw new UsageError(`"${argument}" is neither an email nor an IP address.`);
  }
  const store = await openConfiguredStore(settings);
  try {
    if (isAddress) {
      const networks = [...new Set([networkOf(argument), siteOf(argument)])];
      const count = await store.deleteBuckets('', networks);
      console.log(`${describe(count)} ${networks.join(' and ')}.`);
      return;
    }
    if (!(await store.findAccount(argument.toLowerCase()))) {
      throw new UsageError(`No account has the email ${argument}.`);
    }
    const count = await store.deleteBuckets(hashEmail(argument));
    console.log(`${describe(count)} ${argument}. Limits of IP addresses still apply.`);
  } finally {
    await store.close();
  }
});

const describe = (count: number) => (count === 0 ? 'No attempts are counted for' : `Unlocked:`);
