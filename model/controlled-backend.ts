import { controlledBackend, type Pending } from '../tests/support/backend.ts';
import type { BackendResponse, Call } from './outcomes.ts';
import type { Driver, Observation } from './driver.ts';

export const addresses: Record<Call, string> = {
  login: 'POST /api/v1/auth/login',
  registerUser: 'POST /api/v1/users/register',
  listProjects: 'GET /api/v1/projects',
  createProject: 'POST /api/v1/projects',
};

export const callNames = Object.keys(addresses) as Call[];

export function callOf(method: string, url: string): Call {
  const address = `${method} ${new URL(url).pathname}`;
  const call = callNames.find((name) => addresses[name] === address);
  if (!call) throw new Error(`Nobody knows ${address}.`);
  return call;
}

/** How often each call was made, how many of it wait for an answer, and what the last one sent. */
export function callsSeen<Each extends { call: Call }>(
  arrived: readonly Each[],
  pending: (call: Call) => readonly Each[],
  sentIn: (last: Each) => unknown,
): Observation['calls'] {
  const seen = callNames.map((call) => {
    const last = arrived.findLast((each) => each.call === call);
    const made = arrived.filter((each) => each.call === call).length;
    return [call, { made, pending: pending(call).length, sent: last && sentIn(last) }];
  });
  return Object.fromEntries(seen) as Observation['calls'];
}

/** Something that the app asked for. It was given up when `signal` is aborted. */
type Arrived = {
  call: Call;
  pending: Pending;
  signal: AbortSignal;
  answered: boolean;
  end: (response: Response) => void;
};

type BackendDriver = Pick<Driver, 'answer' | 'answerLate'> & {
  fetch: (request: Request) => Promise<Response>;
  calls: () => Observation['calls'];
};

/** A backend that answers when it is told to. `settled` waits until the app has taken note. */
export function createBackendDriver(settled: () => Promise<void>): BackendDriver {
  const backend = controlledBackend();
  const arrived: Arrived[] = [];

  const pending = (call: Call) =>
    arrived.filter((each) => each.call === call && !each.answered && !each.signal.aborted);
  const givenUp = (call: Call) =>
    arrived.filter((each) => each.call === call && !each.answered && each.signal.aborted);

  async function give(call: Call, answer: BackendResponse, to: Arrived | undefined) {
    if (!to) throw new Error(`No ${call} is waiting for an answer.`);
    to.answered = true;
    if (answer === 'none') to.pending.drop();
    else if (answer === 'fault') to.end(unreadable());
    else if (answer.text !== undefined) to.pending.answerText(answer.status, answer.text);
    else to.pending.answer(answer.status, answer.body);
    await settled();
  }

  return {
    async fetch(request) {
      const { signal, method, url } = request;
      const call = callOf(method, url);
      // The backend does not hear that a call was given up, so that its answer can come late.
      const response = backend.fetch(new Request(request, { signal: null }));
      const faulty = Promise.withResolvers<Response>();
      arrived.push({
        call,
        pending: await backend.next(addresses[call]),
        signal,
        answered: false,
        end: faulty.resolve,
      });
      return Promise.race([response, faulty.promise]);
    },
    async answer(call, answer) {
      await give(call, answer, pending(call)[0]);
      return answer;
    },
    answerLate: (call, answer) => give(call, answer, givenUp(call)[0]),
    calls: () => callsSeen(arrived, pending, (last) => last.pending.body),
  };
}

/** A success whose body not even the app can ask for. */
function unreadable(): Response {
  const response = new Response(null);
  const get = () => {
    throw new Error('a fault');
  };
  return Object.defineProperties(response, { text: { get }, body: { get } });
}
