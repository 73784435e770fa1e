import type { BackendResponse, Call } from '../../model/outcomes.ts';
import type { BackendEnding } from './preconditions.ts';

/** Thrown where the backend does not do what the circumstances ask for. */
export class UnexpectedResponse extends Error {}

const inWords: Record<Call, string> = {
  login: 'signing in',
  registerUser: 'registering',
  listProjects: 'the list',
  createProject: 'creating a project',
};

/** Throws where an answer is not what the circumstances ask for. */
export function assertExpectedResponse(call: Call, ending: BackendEnding, answer: BackendResponse) {
  const status = typeof answer === 'object' ? answer.status : 0;
  const body = typeof answer === 'object' ? answer.body : undefined;
  const got = status === 0 ? 'no answer' : `${status} ${JSON.stringify(body) ?? ''}`.slice(0, 120);
  const isFine =
    ending === 'refusal'
      ? status >= 400
      : status >= 200 &&
        status < 300 &&
        (ending !== 'empty' || (Array.isArray(body) && body.length === 0));
  if (isFine) return;
  const wanted = {
    refusal: 'should be refused',
    empty: 'should be an empty list',
    success: 'should succeed',
    unreachable: '',
  };
  throw new UnexpectedResponse(`${inWords[call]} ${wanted[ending]}, and the answer is ${got}`);
}
