import { randomUUID } from 'node:crypto';
import { Refusal } from '../refusal.ts';
import type { Operation } from '../http/contract.ts';
import type { Services } from '../services.ts';

/** Creates an account. Does not sign in. */
export function registerUser({
  store,
  passwords,
  throttle,
  now,
}: Services): Operation<'registerUser'> {
  return async ({ body, ip }) => {
    passwords.assertNotBusy();
    await throttle.countRegistration(ip);
    const role = 'member';
    const isNew = await store.createAccount({
      id: randomUUID(),
      email: body.email.toLowerCase(),
      passwordHash: await passwords.hash(body.password),
      role,
      createdAt: now(),
    });
    if (!isNew) throw new Refusal('emailTaken');
    return { status: 201, body: { role } };
  };
}
