import type { Credentials, Project } from '../../../../machines/types.ts';
import { countRequests } from '../../../../model/controlled-backend.ts';
import { parseRequest, type Call } from '../../../../model/calls.ts';
import type { Driver } from '../../../../model/driver.ts';
import type { BackendResponse } from '../../../../model/outcomes.ts';
import { createInspector } from '../../../../model/inspection.ts';
import { createApi } from '../../../../src/api/api.ts';
import { parseJson } from '../../../../conformance/http/response.ts';
import type { SimulatedBrowser } from '../../../../conformance/http/simulated-browser.ts';
import {
  assertExpectedResponse,
  assertListContains,
  outcomeOf,
  toBackendResponse,
} from './backend-response.ts';
import { createHeadlessDriver } from '../headless-driver.ts';
import type { Preconditions } from './preconditions.ts';

/** A request of the app that is held back until the backend is in the required state. */
type HeldRequest = {
  call: Call;
  sent: unknown;
  request: Request;
  body: string;
  isAnswered: boolean;
  respond: (response: Response) => void;
  fail: (reason: unknown) => void;
};

/**
 * Drives the app's own client and machines in Node, with a running backend. There is no screen:
 * `observe` derives from the machines what the screens show.
 */
export async function createHttpDriver(preconditions: Preconditions): Promise<Driver> {
  const requests: HeldRequest[] = [];
  const { inspect, take } = createInspector();
  const ownBrowser = preconditions.newBrowser();
  /** Every later list must contain these projects. */
  const createdIds = new Set<Project['id']>();

  const api = createApi({
    origin: preconditions.origin,
    // The simulated browsers add their own XSRF token.
    cookies: () => '',
    async fetch(request) {
      const body = await request.clone().text();
      const { call, sent } = parseRequest(request.method, request.url, parseJson(body));
      return new Promise<Response>((respond, fail) => {
        const { signal } = request;
        signal.addEventListener('abort', () => fail(signal.reason as Error));
        requests.push({ call, sent, request, body, isAnswered: false, respond, fail });
      });
    },
  });
  const app = createHeadlessDriver(api, inspect);

  const unanswered = (call: Call, isAborted: boolean) =>
    requests.filter(
      (held) => held.call === call && !held.isAnswered && held.request.signal.aborted === isAborted,
    );

  function send({ request, body }: HeldRequest, browser: SimulatedBrowser): Promise<Response> {
    const { url, method, headers } = request;
    return browser.fetch(new Request(url, { method, headers, body: body || null }));
  }

  async function forward(held: HeldRequest, browser: SimulatedBrowser): Promise<BackendResponse> {
    try {
      const response = await send(held, browser);
      const text = await response.clone().text();
      held.respond(response);
      return toBackendResponse(response.status, text);
    } catch (error) {
      held.fail(error);
      return 'none';
    }
  }

  /** Expects the project of a call no longer: the call may have taken it out of the list. */
  function forgetProjectOf({ sent }: HeldRequest) {
    const values = Object.values(sent ?? {});
    for (const id of createdIds) if (values.includes(String(id))) createdIds.delete(id);
  }

  return {
    async go(route) {
      await app.go(route);
      await settle();
    },
    async submit(form, typed) {
      await app.submit(form, typed);
      await settle();
    },
    async activate(button, row) {
      await app.activate(button, row);
      await settle();
    },
    async answer(call, wanted) {
      const held = unanswered(call, false)[0];
      if (!held) throw new Error(`No ${call} is waiting for a response.`);
      held.isAnswered = true;
      const outcome = outcomeOf(wanted);
      const credentials = parseJson(held.body) as Credentials;
      const browser = await preconditions.arrange(call, outcome, credentials, ownBrowser);
      if (outcome === 'unreachable') {
        held.fail(new TypeError('fetch failed'));
        await settle();
        return 'none';
      }
      const response = await forward(held, browser);
      assertExpectedResponse(call, outcome, response);
      if (outcome === 'success') forgetProjectOf(held);
      if (call === 'createProject' && outcome === 'success') createdIds.add(createdIdOf(response));
      if (call === 'listProjects' && outcome === 'success') {
        assertListContains(response, createdIds);
      }
      await settle();
      return response;
    },
    async answerLate(call) {
      const held = unanswered(call, true)[0];
      if (!held) throw new Error(`No ${call} was aborted.`);
      held.isAnswered = true;
      // The backend processes the aborted request, but the app no longer reads the response.
      held.respond(await send(held, ownBrowser.clone('late')));
      await settle();
    },
    elapse: async (milliseconds) => app.clock.elapse(milliseconds),
    internals: async () => app.internals(),
    inspection: async () => take(),
    observe: async () => ({
      ...(await app.observe()),
      calls: countRequests(requests, (call) => unanswered(call, false)),
    }),
  };
}

function createdIdOf(response: BackendResponse): Project['id'] {
  const body = typeof response === 'object' ? (response.body as Partial<Project>) : undefined;
  return body?.id ?? '';
}

/** Waits until promises and timers that are due have been processed. */
async function settle() {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setTimeout(resolve));
}
