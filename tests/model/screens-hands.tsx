import { act, fireEvent, screen, within } from '@testing-library/react';
import { isAuthenticated, role } from '../../machines/auth.ts';
import type { AppOptions } from '../../src/app.tsx';
import { controlledBackend, type Pending } from '../support/backend.ts';
import { renderApp } from '../support/render-app.tsx';
import type { Answer, Call } from './calls.ts';
import { forms, links, type FormName, type Hands, type Route, type Seen } from './driver.ts';

const addresses: Record<Call, string> = {
  login: 'POST /api/v1/auth/login',
  registerUser: 'POST /api/v1/users/register',
  listProjects: 'GET /api/v1/projects',
  createProject: 'POST /api/v1/projects',
};

const callNames = Object.keys(addresses) as Call[];

/** Something that the app asked for. It was given up when `signal` is aborted. */
type Arrived = { call: Call; pending: Pending; signal: AbortSignal; answered: boolean };

/** The rendered app, before a backend that answers when it is told to, on a clock that is moved by hand. */
export async function screensHands(route: Route, options: AppOptions = {}) {
  const backend = controlledBackend();
  const arrived: Arrived[] = [];
  const answers = new WeakMap<Arrived, (response: Response) => void>();

  const fetch = async (request: Request): Promise<Response> => {
    const { signal } = request;
    // The backend does not hear that a call was given up, so that its answer can come late.
    const response = backend.fetch(new Request(request, { signal: null }));
    const { method, url } = request;
    const call = callNames.find(
      (name) => addresses[name] === `${method} ${new URL(url).pathname}`,
    )!;
    const each: Arrived = {
      call,
      pending: await backend.next(addresses[call]),
      signal,
      answered: false,
    };
    arrived.push(each);
    return Promise.race([response, new Promise<Response>((resolve) => answers.set(each, resolve))]);
  };

  const app = await renderApp(route, { fetch, ...options });
  const open = (call: Call) =>
    arrived.filter((each) => each.call === call && !each.answered && !each.signal.aborted);

  const givenUp = (call: Call) =>
    arrived.filter((each) => each.call === call && !each.answered && each.signal.aborted);

  async function give(call: Call, answer: Answer, to: Arrived | undefined) {
    if (!to) throw new Error(`No ${call} is waiting for an answer.`);
    to.answered = true;
    if (answer === 'none') to.pending.drop();
    else if (answer === 'fault') answers.get(to)!(unreadable());
    else if (answer.text !== undefined) to.pending.answerText(answer.status, answer.text);
    else to.pending.answer(answer.status, answer.body);
    await settled();
  }

  const hands: Hands = {
    async go(to) {
      if (app.path() === to) return;
      fireEvent.click(screen.getByText(links[to], { selector: 'a' }));
      await settled();
    },
    async submit(form, values) {
      const { button, fields } = forms[form];
      for (const [index, value] of (values ?? []).entries()) {
        fireEvent.change(await screen.findByLabelText(fields[index]!), { target: { value } });
      }
      fireEvent.click(screen.getByText(button, { selector: 'button' }));
      await settled();
    },
    answer: (call, answer) => give(call, answer, open(call)[0]),
    answerLate: (call, answer) => give(call, answer, givenUp(call)[0]),
    async elapse(milliseconds) {
      act(() => app.clock.increment(milliseconds));
    },
    async see() {
      return {
        path: app.path(),
        ...seenOnScreen(),
        calls: Object.fromEntries(
          callNames.map((call) => [
            call,
            {
              made: arrived.filter((each) => each.call === call).length,
              pending: open(call).length,
              sent: arrived.findLast((each) => each.call === call)?.pending.body,
            },
          ]),
        ) as Seen['calls'],
        logged: app.logged.map(({ what }) => what),
      };
    },
    async known() {
      const snapshot = app.auth.getSnapshot();
      return { authenticated: isAuthenticated(snapshot), role: role(snapshot) };
    },
  };
  return { ...app, hands };
}

function seenOnScreen(): Omit<Seen, 'path' | 'calls' | 'logged'> {
  const name = (Object.keys(forms) as FormName[]).find((form) =>
    screen.queryByText(forms[form].button, { selector: 'button' }),
  );
  const button = name && screen.getByText(forms[name].button, { selector: 'button' });
  const list = screen.queryByRole('region', { name: 'List of Projects' });
  return {
    banner: screen.queryByRole('alert')?.textContent,
    announced: screen.queryByRole('status')?.textContent.trim() ?? '',
    form: button && {
      button: forms[name].button,
      busy: button.getAttribute('aria-busy') === 'true',
      values: forms[name].fields.map(
        (label) => screen.getByLabelText<HTMLInputElement>(label).value,
      ),
    },
    list: list
      ? {
          busy: list.getAttribute('aria-busy') === 'true',
          rows: within(list)
            .queryAllByRole('listitem')
            .map(
              (row) => [...row.children].map(({ textContent }) => textContent) as [string, string],
            ),
          note: within(list).queryByText(/^(Loading projects…|No projects to show\.)$/)
            ?.textContent,
        }
      : undefined,
  };
}

/** A success whose body not even the app can ask for. */
function unreadable(): Response {
  return Object.assign(new Response(null), {
    text() {
      throw new Error('a fault');
    },
  });
}

/** Lets everything happen that waits for nothing but its turn. */
async function settled() {
  await act(async () => {
    for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setTimeout(resolve));
  });
}
