import { randomUUID } from 'node:crypto';
import type { Operation } from '../http/contract.ts';
import { Refusal } from '../refusal.ts';
import type { Services } from '../services.ts';

/** Makes an account. Does not sign in: the app asks for that next. */
export function registerUser({
  store,
  passwords,
  throttle,
  now,
}: Services): Operation<'registerUser'> {
  return async ({ body, address }) => {
    passwords.refuseWhenBusy();
    await throttle.countRegistration(address);
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
