import { randomBytes } from 'node:crypto';
import { canonicalEmail } from '../auth/emails.ts';
import { createPasswords } from '../auth/passwords.ts';
import { UsageError } from '../../shared/usage-error.ts';
import { runWithStore } from './startup.ts';

const usage = `Usage: node server/commands/reset-password.ts EMAIL

Gives the account with this email a new password, prints it, and ends all sessions of the account.
The server may be running.`;

await runWithStore(usage, async (email, store) => {
  const password = randomBytes(15).toString('base64url');
  const passwordHash = await createPasswords().hash(password);
  const count = await store.resetPassword(canonicalEmail(email), passwordHash);
  if (count === undefined) throw new UsageError(`No account has the email ${email}.`);
  console.log(`The new password of ${email} is ${password}\nEnded ${count} sessions.`);
});
