import { canonicalEmail } from '../auth/emails.ts';
import { hashEmail } from '../auth/throttle.ts';
import { UsageError } from '../../shared/usage-error.ts';
import { runWithStore } from './startup.ts';

const usage = `Usage: node server/commands/delete-account.ts EMAIL

Deletes the account with this email, its projects and its sessions. The server may be running.`;

await runWithStore(usage, async (email, store) => {
  const canonical = canonicalEmail(email);
  if (!(await store.deleteAccount(canonical, hashEmail(canonical)))) {
    throw new UsageError(`No account has the email ${email}.`);
  }
  console.log(`Deleted the account ${email} with its projects and sessions.`);
});
