import { canonicalEmail } from '../auth/emails.ts';
import { UsageError } from '../../shared/usage-error.ts';
import { runWithStore } from './startup.ts';

const usage = `Usage: node server/commands/sign-out.ts EMAIL

Ends all sessions of the account with this email. The server may be running.`;

await runWithStore(usage, async (email, store) => {
  const account = await store.findAccount(canonicalEmail(email));
  if (!account) throw new UsageError(`No account has the email ${email}.`);
  const count = await store.deleteSessionsOfAccount(account.id);
  console.log(`Ended ${count} sessions of ${email}.`);
});
