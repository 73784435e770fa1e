import { randomUUID } from 'node:crypto';
import { requireEmail } from '../auth/emails.ts';
import { Refusal } from '../auth/refusal.ts';
import type { Operation } from '../http/contract.ts';
import type { SecurityEvents } from '../http/security-log.ts';
import type { Dependencies } from '../dependencies.ts';

export const securityEvents: SecurityEvents = {
  success: 'registered',
  refusal: 'registrationRefused',
};

/** Creates an account. Does not sign in. */
export function registerUser({
  store,
  passwords,
  throttle,
}: Dependencies): Operation<'registerUser'> {
  return async ({ body, ip, hasLeft, identify }) => {
    const email = requireEmail(body.email);
    if (passwords.isTooShort(body.password)) throw new Refusal('passwordTooShort');
    const passwordHash = await throttle.run({ ip, hasLeft }, () => passwords.hash(body.password));
    const role = 'member';
    const id = randomUUID();
    const isNew = await store.createAccount({
      id,
      email,
      passwordHash,
      role,
    });
    if (!isNew) throw new Refusal('emailTaken');
    identify(id);
    return { status: 201, body: { role } };
  };
}
