import {
  register,
  isCall,
  fault,
  replies,
  refusals,
  withJson,
  jsonOf,
  type Fault,
} from '../fault-builders.ts';

/** What should have stayed inside. */
export const leakFaults: Fault[] = [
  fault(
    'refusals have a stack trace',
    'LEAK-1',
    refusals((reply, message) =>
      withJson(reply, {
        message,
        stack:
          'Error: refused\n    at login (/srv/app/routes/auth.js:42:11)\n    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)',
      }),
    ),
  ),
  fault('broken JSON gives a trace of Python', 'LEAK-1', () => ({
    reply: (reply) =>
      reply.status === 400
        ? withJson(reply, {
            message:
              'Traceback (most recent call last):\n  File "/srv/app/views.py", line 12, in login',
          })
        : undefined,
  })),
  fault('the answer to registering repeats the password', 'LEAK-2', () => ({
    reply: (reply, incoming) =>
      isCall(incoming, register) && reply.status === 201
        ? withJson(reply, { role: 'member', ...jsonOf(incoming.body) })
        : undefined,
  })),
  fault('the answer to registering has the hash of the password', 'LEAK-2', () => ({
    reply: (reply, incoming) =>
      isCall(incoming, register) && reply.status === 201
        ? withJson(reply, { role: 'member', passwordHash: '$2b$12$KIXQJ1t1c4G0Yd1r2o9hXe' })
        : undefined,
  })),
  fault(
    'a taken email is refused in the words of the database',
    'LEAK-3',
    replies([register], (reply) =>
      reply.status === 409
        ? withJson(reply, {
            message: 'duplicate key value violates unique constraint "account_email_key"',
          })
        : undefined,
    ),
  ),
];
