import type { Project } from '../machines/types.ts';
import { formNames, requiredFields, valuesOf, type FormName } from '../model/calls.ts';
import { forms } from '../shared/forms.ts';
import { fillAndPress } from '../model/driver.ts';
import type { Edge } from '../model/graph.ts';
import { lookOf } from '../model/observation.ts';
import { findWalks } from '../model/walks.ts';
import { fieldMessages } from '../shared/field-rules.ts';
import { headerLink } from './browser.ts';
import { examples } from './contract.ts';
import { credentialsOf } from './credentials.ts';
import type { VisualDriver } from './page-driver.ts';
import { projectOf, projectWithText, storedProject } from './projects.ts';

export const stateOfReadme = '/projects, three projects';

/** Is called while the page shows the state of that name. */
type OnState = (name: string) => Promise<void>;

/** Shows every visual state: each look that a walk on the screens leads to, then the manual ones. */
export async function showAllStates(driver: VisualDriver, onState: OnState): Promise<void> {
  const shown = new Set<string>();
  const app = { ...driver, elapse: never, signInElsewhere: never, observe: never };
  for (const walk of await findWalks(({ look }) => [nameOf(look)], isOnScreen)) {
    await driver.load('/');
    await walk.perform(app, async ({ oracle }) => {
      await driver.waitFor(oracle.screen());
      const name = nameOf(lookOf(oracle.screen()));
      if (shown.has(name)) return;
      shown.add(name);
      await onState(name);
    });
  }
  await driver.load('/');
  for (const [name, show] of Object.entries(manualStates)) {
    await show(driver);
    await onState(name);
  }
}

const nameOf = (look: string[]) => look.join(' · ');

/** Returns whether a user or the backend makes a step. */
const isOnScreen = ({ step: { name } }: Edge) => !/ms pass|another tab/.test(name);

const never = (): never => {
  throw new Error('No visual state needs this.');
};

const credentials = valuesOf('login', credentialsOf());

const longLine = `${'A text that goes on and on, '.repeat(10)}and ends.`;
const lines = Array.from({ length: 40 }, (_, line) => `Line ${line + 1} of forty.`).join('\n');

const project = (id: number) => storedProject({}, id);

const example = examples.find(({ name }) => name === 'someProjects')!;
const [relaunch, office] = example.body as Project[] as [Project, Project];
const survey = { id: 3, ...projectWithText('Customer survey') };

/** States to which no walk leads. None leaves anything behind that a later one shows. */
const manualStates: Record<string, (driver: VisualDriver) => Promise<void>> = {
  ...Object.fromEntries(
    formNames.flatMap((form) => [
      [`${forms[form].route}, at first`, (driver) => driver.navigate(forms[form].route)],
      [`${forms[form].route}, submitted empty`, (driver) => submitEmpty(driver, form)],
    ]),
  ),
  async '/register, invalid email and short password'(driver) {
    await driver.navigate('/register');
    await fillAndPress(driver, 'registerUser', ['ada@', 'short']);
    await driver.page.getByText('Password must be at least 8 characters').waitFor();
  },
  async '/login, refused with a long message'(driver) {
    await driver.navigate('/login');
    await fillAndPress(driver, 'login', credentials);
    const message = `${'Too many attempts came from here. '.repeat(6)}${'W'.repeat(300)}`;
    await driver.answer('login', { status: 429, body: { message } });
    await driver.page.getByRole('alert').waitFor();
  },
  [stateOfReadme]: (driver) => showList(driver, [relaunch, office, survey]),
  '/projects, 1,000 projects': (driver) =>
    showList(
      driver,
      Array.from({ length: 1000 }, (_, index) => project(index + 1)),
    ),
  async '/projects, 1,000 projects and a new one'(driver) {
    await fillAndPress(driver, 'createProject', valuesOf('createProject', relaunch));
    await driver.answer('createProject', { status: 201, body: relaunch });
    await driver.page.getByRole('button', { name: 'Show the new project' }).waitFor();
  },
  '/projects, texts of 300 characters': (driver) =>
    showList(driver, [project(1), { id: 2, ...projectOf(() => longLine) }, project(3)]),
  '/projects, texts of 40 lines': (driver) =>
    showList(driver, [project(1), { id: 2, ...projectOf(() => lines) }, project(3)]),
  '/projects, words without a break, and right-to-left text': (driver) =>
    showList(driver, [
      { id: 1, ...projectOf(() => 'W'.repeat(600)) },
      { id: 2, ...projectOf(() => 'مشروع جديد') },
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
    await headerLink(driver.page, '/login').click();
    await driver.page.getByRole('alert').waitFor();
  },
};

async function submitEmpty(driver: VisualDriver, form: FormName) {
  await driver.navigate(forms[form].route);
  await driver.press(form);
  const [, label] = requiredFields(form).at(-1)!;
  await driver.page.getByText(fieldMessages.required(label)).waitFor();
}

async function showList(driver: VisualDriver, body: Project[]) {
  await driver.navigate('/projects');
  await driver.answer('listProjects', { status: 200, body });
  await driver.page.getByRole('listitem').first().waitFor();
}
