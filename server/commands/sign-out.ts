import { UsageError, openConfiguredStore, run } from './cli.ts';
import { readSettings } from '../settings.ts';

const usage = `Usage: npm run sign-out -- EMAIL

Ends every session of the account with this email, also while the server runs.`;

await run(async () => {
  const [email, ...more] = process.argv.slice(2);
  if (email === '--help' || email === '-h') return console.log(usage);
  if (!email || more.length > 0) throw new UsageError(usage);
  const { settings, mistakes } = readSettings(process.env);
  if (!settings) throw new UsageError(mistakes.join('\n'));
  const store = await openConfiguredStore(settings);
  try {
    const account = await store.findAccount(email.toLowerCase());
    if (!account) throw new UsageError(`No account has the email ${email}.`);
    const ended = await store.deleteSessionsOf(account.id);
    console.log(`Ended ${ended} sessions of ${email}.`);
  } finally {
    await store.close();
  }
});
