import { formNames, forms, requiredFields, type FormName } from '../model/calls.ts';
import { models } from '../model/models.ts';
import type { Screen } from '../model/observation.ts';
import { createOracle } from '../model/oracle.ts';
import { minimalCover, shortestPaths, type Model, type PathEvent } from '../model/paths.ts';
import { performEvent } from '../model/walk.ts';
import type { VisualDriver } from './page-driver.ts';

export const stateOfReadme = '/projects, three projects';

/** Is called while the page shows the state of that name. */
type OnState = (name: string) => Promise<void>;

/** Shows every visual state: all that the machines distinguish, then the manual ones. */
export async function showAllStates(driver: VisualDriver, onState: OnState): Promise<void> {
  // oxlint-disable-next-line no-await-in-loop
  for (const model of models) await showMachineStates(driver, onState, model);
  await driver.load('/');
  for (const [name, show] of Object.entries(manualStates)) {
    await show(driver);
    await onState(name);
  }
}

/** Walks the shortest paths through a machine that show all that the oracle distinguishes. */
async function showMachineStates(driver: VisualDriver, onState: OnState, model: Model) {
  const events = Object.fromEntries(Object.entries(model.events).filter(isVisible));
  const paths = shortestPaths({ ...model, events });
  const screenAfter = new Map<PathEvent, Screen>();
  for (const path of paths) {
    const pair = { app: createOracle('/'), oracle: createOracle('/'), length: 0 };
    for (const event of path.events) {
      // oxlint-disable-next-line no-await-in-loop
      await performEvent(events[event.name]!, pair);
      screenAfter.set(event, pair.oracle.screen());
    }
  }
  const nameAfter = (event: PathEvent) => describe(screenAfter.get(event)!);
  const shown = new Set<string>();
  for (const path of minimalCover(paths, (event) => [nameAfter(event)])) {
    await driver.load('/');
    const app = { ...driver, elapse: never, signInElsewhere: never, observe: never };
    const pair = { app, oracle: createOracle('/'), length: 0 };
    for (const event of path.events) {
      await performEvent(events[event.name]!, pair);
      await driver.waitFor(screenAfter.get(event)!);
      const name = nameAfter(event);
      if (shown.has(name)) continue;
      shown.add(name);
      await onState(name);
    }
  }
}

/** Returns whether an event changes anything on the screen. */
const isVisible = ([name]: [string, unknown]) =>
  !name.endsWith(' over') && !name.startsWith('user.changed');

function describe({ path, form, banner, list }: Screen): string {
  const isFilled = form?.values.some((value) => value !== '');
  return [
    path,
    form && `form ${form.busy ? 'busy' : isFilled ? 'filled' : 'empty'}`,
    banner && 'error above the form',
    list &&
      `list ${list.busy ? 'loading' : 'loaded'}, ${list.rows.length > 0 ? 'rows' : 'no rows'}`,
  ]
    .filter(Boolean)
    .join(' · ');
}

const never = (): never => {
  throw new Error('No visual state needs this.');
};

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
  '/': (driver) => driver.navigate('/'),
  ...Object.fromEntries(
    formNames.flatMap((form) => [
      [`${forms[form].route}, at first`, (driver) => driver.navigate(forms[form].route)],
      [`${forms[form].route}, submitted empty`, (driver) => submitEmpty(driver, form)],
    ]),
  ),
  async '/register, invalid email and short password'(driver) {
    await driver.navigate('/register');
    await driver.submit('registerUser', ['ada@', 'short']);
    await driver.page.getByText('Password must be at least 8 characters').waitFor();
  },
  async '/login, refused with a long message'(driver) {
    await driver.navigate('/login');
    await driver.submit('login', ['ada@example.org', 'correct horse']);
    const message = `${'Too many attempts came from here. '.repeat(6)}${'W'.repeat(300)}`;
    await driver.answer('login', { status: 429, body: { message } });
    await driver.page.getByRole('alert').waitFor();
  },
  async '/projects, a focused field and a row'(driver) {
    await showList(driver, [project(1)]);
    await driver.page.getByLabel('Title').fill(relaunch.title);
  },
  '/projects, one project': (driver) => showList(driver, [{ id: 1, ...relaunch }]),
  [stateOfReadme]: (driver) =>
    showList(driver, [
      { id: 1, ...relaunch, description: `${relaunch.description}\nTexts are due in March.` },
      { id: 2, title: 'Move to the new office', description: 'Boxes, keys, and a plan.' },
      { id: 3, title: 'Customer survey', description: 'Twelve questions.' },
    ]),
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
      Object.defineProperty(window.prerendered, 'year', {
        get() {
          throw new Error('The screen broke.');
        },
      });
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

async function submitEmpty(driver: VisualDriver, form: FormName) {
  await driver.navigate(forms[form].route);
  await driver.submit(form, undefined);
  await driver.page.getByText(`${requiredFields(form).at(-1)![1]} is required`).waitFor();
}

async function showList(driver: VisualDriver, body: unknown[]) {
  await driver.navigate('/projects');
  await driver.answer('listProjects', { status: 200, body });
  await driver.page.getByRole('listitem').first().waitFor();
}
