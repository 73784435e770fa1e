import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import { forms, type FormName } from '../../../model/calls.ts';
import { perform, type Observation } from '../../../model/driver.ts';
import {
  authExpectations,
  projectsExpectations,
  type Expectations,
  type Location,
} from '../../../model/expectations.ts';
import { activeLeaves, stateName } from '../../../model/inspection.ts';
import {
  authModel,
  projectsModel,
  type AuthMove,
  type ProjectsMove,
} from '../../../model/moves.ts';
import {
  minimalCover,
  shortestPaths,
  type Model,
  type Path,
  type Step,
} from '../../../model/paths.ts';
import type { VisualDriver } from './page-driver.ts';

/** Something the app can show, with the machine states that look like it. */
export type VisualState = { name: string; machineStates: string[] };

/** Is called while the page shows the state. */
type OnState = (state: VisualState) => Promise<void>;

/** Shows every visual state: all that the machines distinguish, then the manual ones. */
export async function showAllStates(driver: VisualDriver, onState: OnState): Promise<void> {
  await showMachineStates(driver, onState, authModel, authExpectations);
  await showMachineStates(driver, onState, projectsModel, projectsExpectations);
  await driver.load('/');
  for (const [name, show] of Object.entries(manualStates)) {
    await show(driver);
    await onState({ name, machineStates: [] });
  }
}

/** Steps that look the same have the same name. */
type VisualStep<Machine extends AnyStateMachine, Name extends string> = {
  step: Step<Machine, Name>;
  screen: Partial<Observation>;
  name: string;
  machineState: string;
};

/** Walks the shortest paths that show every visual state of a machine. */
async function showMachineStates<
  Machine extends AnyStateMachine,
  Name extends AuthMove | ProjectsMove,
>(
  driver: VisualDriver,
  onState: OnState,
  model: Model<Machine, Name>,
  expectations: Expectations<Machine, Name>,
): Promise<void> {
  const paths = shortestPaths({ ...model, moves: visibleMoves(model.moves) });
  const stepsOf = new Map(paths.map((path) => [path, visualSteps(path, expectations)]));
  const allSteps = [...stepsOf.values()].flat();
  const nameOf = new Map(allSteps.map(({ step, name }) => [step, name]));
  const shown = new Set<string>();
  for (const path of minimalCover(paths, (step) => [nameOf.get(step)!])) {
    await driver.load(expectations.start);
    for (const { step, screen, name } of stepsOf.get(path)!) {
      if (step.move !== 'start') await perform({ ...driver, ...unused }, step);
      await driver.waitFor(screen);
      if (shown.has(name)) continue;
      shown.add(name);
      const sameName = allSteps.filter((other) => other.name === name);
      const machineStates = new Set(sameName.map(({ machineState }) => machineState));
      await onState({ name, machineStates: [...machineStates] });
    }
  }
}

/** Omits the moves that change nothing on the screen. */
function visibleMoves<Moves extends object>(moves: Moves): Moves {
  const visible = Object.entries(moves).filter(
    ([move]) => !move.endsWith(' over') && !move.startsWith('user.changed'),
  );
  return Object.fromEntries(visible) as Moves;
}

function visualSteps<Machine extends AnyStateMachine, Name extends string>(
  path: Path<Machine, Name>,
  expectations: Expectations<Machine, Name>,
): VisualStep<Machine, Name>[] {
  let location: Location = { path: expectations.start, values: [] };
  return path.steps.map((step) => {
    location = expectations.locationAfter(step, location);
    const states = activeLeaves(step.snapshot).map((leaf) => stateName(leaf).split(' · ')[1]!);
    const screen: Partial<Observation> = {};
    for (const state of states) {
      const expected = expectations.states[state as keyof typeof expectations.states];
      const { banners, ...shown } = expected?.(step.snapshot, location) ?? {};
      Object.assign(screen, shown, { banners: { ...screen.banners, ...banners } });
    }
    const { machine }: AnyMachineSnapshot = step.snapshot;
    return {
      step,
      screen,
      name: describe(screen),
      machineState: `${machine.id}: ${states.join(', ')}`,
    };
  });
}

function describe({ path, form, banners, list }: Partial<Observation>): string {
  const isFilled = form?.values.some((value) => value !== '');
  return [
    path,
    form && `form ${form.busy ? 'busy' : isFilled ? 'filled' : 'empty'}`,
    ...Object.entries(banners ?? {}).map(
      ([place, message]) => message && `error above the ${place}`,
    ),
    list &&
      `list ${list.busy ? 'loading' : 'loaded'}, ${list.rows.length > 0 ? 'rows' : 'no rows'}`,
  ]
    .filter(Boolean)
    .join(' · ');
}

const never = (): never => {
  throw new Error('No visual state needs this.');
};
const unused = { activate: never, answerLate: never, elapse: never, observe: never };

const longTitle = `${'A title that goes on and on, '.repeat(10)}and ends.`;
const longDescription = Array.from({ length: 40 }, (_, line) => `Line ${line + 1} of forty.`).join(
  '\n',
);

const project = (id: number) => ({
  id,
  title: `Project ${id}`,
  description: `What there is to say about project ${id}.`,
});

const relaunch = { title: 'Website relaunch', description: 'New pages for the spring range.' };

/** States that no machine distinguishes. None leaves anything behind that a later one shows. */
const manualStates: Record<string, (driver: VisualDriver) => Promise<void>> = {
  '/register, at first': (driver) => driver.navigate('/register'),
  '/login, at first': (driver) => driver.navigate('/login'),
  '/register, submitted empty': (driver) =>
    submitEmpty(driver, 'registerUser', 'Email is required'),
  '/login, submitted empty': (driver) => submitEmpty(driver, 'login', 'Email is required'),
  '/projects, submitted empty': (driver) =>
    submitEmpty(driver, 'createProject', 'Description is required'),
  async '/register, invalid email and short password'(driver) {
    await driver.navigate('/register');
    await driver.submit('registerUser', ['ada@', 'short']);
    await driver.page.getByText('Password must be at least 8 characters').waitFor();
  },
  async '/login, refused with a long message'(driver) {
    await driver.navigate('/login');
    await driver.submit('login', ['ada@example.org', 'correct horse']);
    const message = 'Too many attempts came from here. '.repeat(6).trim();
    await driver.answer('login', { status: 429, body: { message } });
    await driver.page.getByRole('alert').waitFor();
  },
  async '/projects, a focused field and a row'(driver) {
    await showList(driver, [project(1)]);
    await driver.page.getByLabel('Title').fill(relaunch.title);
  },
  '/projects, one project': (driver) => showList(driver, [{ id: 1, ...relaunch }]),
  '/projects, 1,000 projects': (driver) =>
    showList(
      driver,
      Array.from({ length: 1000 }, (_, index) => project(index + 1)),
    ),
  async '/projects, 1,000 projects and a new one'(driver) {
    await driver.submit('createProject', [relaunch.title, relaunch.description]);
    await driver.answer('createProject', { status: 201, body: { id: 1001, ...relaunch } });
    await driver.page.getByRole('button', { name: 'Show the new project' }).waitFor();
  },
  '/projects, a title of 300 characters': (driver) =>
    showList(driver, [project(1), { ...project(2), title: longTitle }, project(3)]),
  '/projects, a description of 40 lines': (driver) =>
    showList(driver, [project(1), { ...project(2), description: longDescription }, project(3)]),
  '/projects, words without a break, and right-to-left text': (driver) =>
    showList(driver, [
      { id: 1, title: 'W'.repeat(300), description: 'w'.repeat(900) },
      { id: 2, title: 'مشروع جديد', description: 'وصف المشروع' },
    ]),
  'an unknown path': (driver) => driver.navigate('/nowhere'),
  async 'a screen that failed to render'(driver) {
    await driver.navigate('/nowhere');
    // The footer reads the year when the layout renders.
    await driver.page.evaluate(() => {
      const getFullYear = () => {
        throw new Error('The screen broke.');
      };
      Object.assign(Date.prototype, { getFullYear });
    });
    await driver.page.getByRole('link', { name: 'Go to the start page' }).click();
    await driver.page.getByText('The screen broke.').waitFor();
  },
  async 'a screen whose script is missing'(driver) {
    await driver.page.route('**/lazy-chunk*', (route) => route.abort());
    await driver.load('/');
    await driver.page.getByRole('link', { name: 'Sign in' }).click();
    await driver.page.getByRole('alert').waitFor();
  },
};

async function submitEmpty(driver: VisualDriver, form: FormName, error: string) {
  await driver.navigate(forms[form].route);
  await driver.submit(form, undefined);
  await driver.page.getByText(error).waitFor();
}

async function showList(driver: VisualDriver, body: unknown[]) {
  await driver.navigate('/projects');
  await driver.answer('listProjects', { status: 200, body });
  await driver.page.getByRole('listitem').first().waitFor();
}
