import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import {
  minimalCover,
  shortestPaths,
  type Model,
  type Path,
  type Step,
} from '../../model/paths.ts';
import {
  forms,
  perform,
  screens,
  type FormName,
  type Observation,
  type Route,
} from '../../model/driver.ts';
import { auth, projects, type AuthMove, type ProjectsMove } from '../../model/moves.ts';
import { activeLeaves, stateName } from '../../model/inspection.ts';
import {
  authExpectations,
  projectsExpectations,
  type Location,
  type Expectations,
} from '../../model/expectations.ts';
import { type Stage, type View } from './page-driver.ts';

/** Something to look at: what it is, and the situations of the machines that look like this. */
export type Scene = { name: string; situations: string[] };

/** Is called with the stage as the scene wants it. */
export type Look = (scene: Scene) => Promise<void>;

/** Puts every scene on the stage, one after another: all that the machines can show, then what no machine knows of. */
export async function playAll(stage: Stage, look: Look): Promise<void> {
  await playMachine(stage, look, auth, authExpectations);
  await playMachine(stage, look, projects, projectsExpectations);
  await stage.start('/');
  for (const [name, arrange] of Object.entries(handpicked)) {
    await arrange(stage);
    await look({ name, situations: [] });
  }
}

/** A step, what is then seen, and a name for it that others which look the same have too. */
type Shot<Machine extends AnyStateMachine, Name extends string> = {
  step: Step<Machine, Name>;
  seen: Partial<Observation>;
  name: string;
  situation: string;
};

/** Walks the shortest paths that come by everything a machine can show. */
async function playMachine<Machine extends AnyStateMachine, Name extends AuthMove | ProjectsMove>(
  stage: Stage,
  look: Look,
  model: Model<Machine, Name>,
  showing: Expectations<Machine, Name>,
): Promise<void> {
  const paths = shortestPaths({ ...model, moves: withoutTime(model.moves) });
  const shots = new Map(paths.map((path) => [path, shotsOf(path, showing)]));
  const all = [...shots.values()].flat();
  const nameOfStep = new Map(all.map(({ step, name }) => [step, name]));
  const looked = new Set<string>();
  for (const path of minimalCover(paths, (step) => [nameOfStep.get(step)!])) {
    await stage.start(showing.start);
    for (const { step, seen, name } of shots.get(path)!) {
      await take(stage, step);
      await stage.until(viewOf(seen));
      if (looked.has(name)) continue;
      looked.add(name);
      const alike = all.filter((shot) => shot.name === name).map(({ situation }) => situation);
      await look({ name, situations: [...new Set(alike)] });
    }
  }
}

/** Delays lead to nothing that can be seen: what is dropped while no screen shows it. */
function withoutTime<Moves extends object>(moves: Moves): Moves {
  const seen = Object.entries(moves).filter(
    ([move]) => !move.endsWith(' over') && move !== 'user.loggedIn',
  );
  return Object.fromEntries(seen) as Moves;
}

function shotsOf<Machine extends AnyStateMachine, Name extends string>(
  path: Path<Machine, Name>,
  showing: Expectations<Machine, Name>,
): Shot<Machine, Name>[] {
  let place: Location = { path: showing.start, values: [] };
  return path.steps.map((step) => {
    place = showing.locationAfter(step, place);
    const states = activeLeaves(step.snapshot).map((leaf) => stateName(leaf).split(' · ')[1]!);
    const seen: Partial<Observation> = {};
    for (const state of states) {
      const expected = showing.states[state as keyof typeof showing.states];
      Object.assign(seen, expected(step.snapshot, place));
    }
    const { machine }: AnyMachineSnapshot = step.snapshot;
    const situation = `${machine.id}: ${states.join(', ')}`;
    return { step, seen, name: describe(seen), situation };
  });
}

function describe({ path, form, banner, list }: Partial<Observation>): string {
  const typed = form?.values.some((value) => value !== '');
  return [
    path,
    form && `form ${form.busy ? 'busy' : typed ? 'kept' : 'ready'}`,
    banner !== undefined && 'error',
    list && `list ${list.busy ? 'loading' : 'there'}, ${list.rows.length > 0 ? 'rows' : 'no rows'}`,
  ]
    .filter(Boolean)
    .join(' · ');
}

const viewOf = ({ path, form, banner, list }: Partial<Observation>): View => ({
  path: path!,
  heading: screens[path as Route]?.heading,
  ...(form && { banner, busy: form.busy, values: form.values }),
  ...(list && { loading: list.busy }),
});

async function take<Machine extends AnyStateMachine>(
  stage: Stage,
  step: Step<Machine, AuthMove | ProjectsMove>,
) {
  if (step.move !== 'start') await perform({ ...stage, ...unused }, step);
}

const never = (): never => {
  throw new Error('No scene needs this.');
};
const unused = { answerLate: never, elapse: never, observe: never };

const long = {
  title: `${'A title that goes on and on, '.repeat(10)}and ends.`,
  description: Array.from({ length: 40 }, (_, line) => `Line ${line + 1} of forty.`).join('\n'),
};

const project = (id: number) => ({
  id,
  title: `Project ${id}`,
  description: `What there is to say about project ${id}.`,
});

const typed = { title: 'Website relaunch', description: 'New pages for the spring range.' };

/** What no machine tells apart, and people do, in an order in which none leaves anything behind that the next one shows. */
const handpicked: Record<string, (stage: Stage) => Promise<void>> = {
  '/register, at first': (stage) => stage.visit('/register'),
  '/login, at first': (stage) => stage.visit('/login'),
  '/register, submitted empty': (stage) => submitEmpty(stage, 'registerUser', 'Email is required'),
  '/login, submitted empty': (stage) => submitEmpty(stage, 'login', 'Email is required'),
  '/projects, submitted empty': (stage) =>
    submitEmpty(stage, 'createProject', 'Description is required'),
  async '/register, not an email, a short password'(stage) {
    await stage.visit('/register');
    await stage.submit('registerUser', ['ada@', 'short']);
    await stage.page.getByText('Password must be at least 8 characters').waitFor();
  },
  async '/login, refused at length'(stage) {
    await stage.visit('/login');
    await stage.submit('login', ['ada@example.org', 'correct horse']);
    const message = 'Too many attempts came from here. '.repeat(6).trim();
    await stage.answer('login', { status: 429, body: { message } });
    await stage.page.getByRole('alert').waitFor();
  },
  async '/projects, a field in use, and a row'(stage) {
    await listed(stage, [project(1)]);
    await stage.page.getByLabel('Title').fill(typed.title);
  },
  '/projects, one project': (stage) => listed(stage, [{ id: 1, ...typed }]),
  '/projects, a thousand projects': (stage) =>
    listed(
      stage,
      Array.from({ length: 1000 }, (_, index) => project(index + 1)),
    ),
  async '/projects, one more than a thousand projects'(stage) {
    await stage.submit('createProject', [typed.title, typed.description]);
    await stage.answer('createProject', { status: 201, body: { id: 1001, ...typed } });
    await stage.page.getByRole('button', { name: 'Show the new project' }).waitFor();
  },
  '/projects, a title of 300 characters': (stage) =>
    listed(stage, [project(1), { ...project(2), title: long.title }, project(3)]),
  '/projects, a description of 40 lines': (stage) =>
    listed(stage, [project(1), { ...project(2), description: long.description }, project(3)]),
  '/projects, words without a break, and from right to left': (stage) =>
    listed(stage, [
      { id: 1, title: 'W'.repeat(300), description: 'w'.repeat(900) },
      { id: 2, title: 'مشروع جديد', description: 'وصف المشروع' },
    ]),
  'a path that is none': (stage) => stage.visit('/nowhere'),
  async 'a screen that broke'(stage) {
    await stage.visit('/nowhere');
    // The footer asks for the year when the layout is drawn.
    await stage.page.evaluate(() => {
      const getFullYear = () => {
        throw new Error('The screen broke.');
      };
      Object.assign(Date.prototype, { getFullYear });
    });
    await stage.page.getByRole('link', { name: 'Go to the start page' }).click();
    await stage.page.getByText('The screen broke.').waitFor();
  },
};

async function submitEmpty(stage: Stage, form: FormName, error: string) {
  await stage.visit(forms[form].route);
  await stage.submit(form, undefined);
  await stage.page.getByText(error).waitFor();
}

async function listed(stage: Stage, body: unknown[]) {
  await stage.visit('/projects');
  await stage.answer('listProjects', { status: 200, body });
  await stage.page.getByRole('listitem').first().waitFor();
}
