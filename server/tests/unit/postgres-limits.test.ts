import { expect, test } from 'vitest';
import { prepareSession } from '../../store/postgres-session.ts';

test.each(['statement_timeout', 'idle_in_transaction_session_timeout'])(
  'a session has the limit %s',
  (name) => expect(prepareSession(1, 4567)).toContain(`('${name}', '4567')`),
);
