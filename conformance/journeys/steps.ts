import type { OperationId } from '../../generated/operations.ts';
import type { Credentials, NewProject } from '../../machines/types.ts';
import { forms } from '../../model/calls.ts';
import type { UserActions } from '../../model/driver.ts';
import type { Screen } from '../../model/observation.ts';

/** The app on one page of a browser, as a person uses it. */
export type App = UserActions & {
  /** Returns what the screen shows now. */
  observe: () => Promise<Screen>;
  /**
   * Waits until no call is pending. A real browser opens the screen `path` a while later. Returns
   * what the screen shows then.
   */
  settle: (path?: string) => Promise<Screen>;
  close: () => Promise<void>;
};

/** What a person has created, and the visits on which the list must show it. */
type Created = { title: string; visit: number; shownFrom: number };
type Account = Credentials & { created: Created[] };

export const newAccount = (credentials: Credentials): Account => ({ ...credentials, created: [] });

/** A person in one browser. Other browsers take part where a step says so. */
export type Person = {
  app: App;
  /** Opens the app on another page of this browser. */
  openPage: () => Promise<App>;
  /** Opens the app in another browser. */
  openBrowser: () => Promise<App>;
  /** Another page of the same browser. */
  tab?: App;
  /** A second browser of this person. */
  second?: App;
  /** A browser in which this person is not signed in. */
  stranger?: App;
  own: Account;
  /** Another person, who registered in this browser. */
  guest?: Account;
  /** Whose session the browser has; undefined where the backend decides that. */
  signedIn?: Account | undefined;
  visits: number;
  wrongPasswords: number;
  createAccount: () => Account;
  createProject: () => NewProject;
  isListShared: () => Promise<boolean>;
};

/** How the app differs from what the person expects. */
export type ScreenFault = {
  /** Equal for two journeys with the same fault. */
  kind: string;
  words: string;
  /** The call whose last response shows it. */
  operation?: OperationId;
};

export type PersonStep = {
  /** Sign-ins and registrations, which cost the backend most. Default: none. */
  hashes?: number;
  /** Default: on every screen. */
  isPossible?: (screen: Screen, person: Person) => boolean;
  perform: (person: Person) => Promise<ScreenFault | void>;
};

/** Steps by what the person does. */
export type PersonSteps = Record<string, PersonStep>;

const isOnProjects = ({ path }: Screen) => path === '/projects';
const canSubmit = (screen: Screen) => isOnProjects(screen) && screen.form?.busy === false;
const isElsewhere = (screen: Screen) => !isOnProjects(screen);

async function open(person: Person) {
  person.visits += 1;
  await person.app.go('/projects');
}

async function openAndLook(person: Person) {
  await open(person);
  return look(person);
}

/** Opens the projects, also on a page that shows them. */
async function reopen(app: App) {
  await app.go('/about');
  await app.go('/projects');
}

const openStranger = async (person: Person) => (person.stranger ??= await person.openBrowser());

async function submitProject(person: Person, app = person.app) {
  const { title, description } = person.createProject();
  const { visits, signedIn } = person;
  const shownFrom = app === person.app ? visits : visits + 1;
  signedIn?.created.push({ title, visit: visits, shownFrom });
  await app.submit('createProject', [title, description]);
}

async function create(person: Person, app = person.app): Promise<ScreenFault | undefined> {
  await submitProject(person, app);
  const { banner } = await app.settle();
  if (banner === undefined) return look(person, app);
  return { kind: 'create', words: 'creating a project fails', operation: 'createProject' };
}

/** Waits for the pending calls. Returns what is wrong on the screen of the projects. */
async function look(
  person: Person,
  app = person.app,
  account = person.signedIn,
): Promise<ScreenFault | undefined> {
  const { own, guest } = person;
  const place = app === person.tab ? 'in the second tab' : 'in the second browser';
  const visit = app === person.app ? person.visits : place;
  const screen = await app.settle();
  const other = account === own ? guest : own;
  const isForeign = ([title = '']: string[]) => hasTitle(other, title);
  if (account && screen.list?.rows.some(isForeign) && !(await person.isListShared()))
    return ofList('foreign', 'the list shows a project of another person');
  return account && faultOf(screen, account, visit);
}

const ofList = (kind: string, words: string): ScreenFault => ({
  kind,
  words,
  operation: 'listProjects',
});

const hasTitle = (account: Account | undefined, title: string) =>
  account?.created.some((project) => project.title === title) === true;

/** `visit` is the number of the visit, or another page, which shows everything. */
function faultOf({ list }: Screen, { created }: Account, visit: number | string) {
  if (!list) return undefined;
  const [place, visits] =
    typeof visit === 'number' ? [`on the ${ordinal(visit)} visit`, visit] : [visit, Infinity];
  const titles = list.rows.map(([title]) => title);
  for (const { title, visit: creation, shownFrom } of created) {
    const count = titles.filter((other) => other === title).length;
    if (count === 1 || shownFrom > visits) continue;
    const project = `the project of the ${ordinal(creation)} visit`;
    if (count > 1) return ofList('twice', `${place}, the list has ${project} twice`);
    const lack = titles.length > 0 ? 'the list lacks' : 'the list is empty and lacks';
    return ofList('lacks', `${place}, ${lack} ${project}`);
  }
  return undefined;
}

/** Submits a form. Returns `words` if the app is not on the screen `path` then. */
async function submitCredentials(
  app: App,
  form: 'login' | 'registerUser',
  { email, password }: Credentials,
  words: string,
  path = form === 'login' ? '/projects' : '/login',
): Promise<ScreenFault | undefined> {
  await app.go(forms[form].route);
  await app.submit(form, [email, password]);
  const { path: actual } = await app.settle(path);
  return actual === path ? undefined : { kind: words, words, operation: form };
}

async function signIn(person: Person, account: Account) {
  person.signedIn = undefined;
  const fault = await submitCredentials(person.app, 'login', account, 'signing in fails');
  person.signedIn = account;
  if (account === person.own) person.wrongPasswords = 0;
  person.visits += 1;
  return fault ?? look(person);
}

const register = (app: App, account: Account) =>
  submitCredentials(app, 'registerUser', account, 'registering fails');

function typeWrongPassword(person: Person, app: App) {
  const { email, password } = person.own;
  person.wrongPasswords += 1;
  const wrong = { email, password: `${password}?` };
  return submitCredentials(app, 'login', wrong, 'a wrong password signs in', '/login');
}

/** Opens and creates, in each browser that has a session. */
async function visitAll(person: Person): Promise<ScreenFault | undefined> {
  const { app, second, own, signedIn } = person;
  if (signedIn) {
    await app.go('/about');
    const fault = (await openAndLook(person)) ?? (await create(person));
    if (fault) return fault;
  }
  if (!second) return undefined;
  await reopen(second);
  return look(person, second, own);
}

/** Performs the step, then visits the projects. */
const andVisit =
  (perform: PersonStep['perform']): PersonStep['perform'] =>
  async (person) =>
    (await perform(person)) ?? visitAll(person);

/** Fewer than the failed attempts after which backends lock an account. */
const maxWrongPasswords = 2;

const creation = { isPossible: canSubmit, perform: (person: Person) => create(person) };

/** How a journey begins. */
export const arrival: PersonSteps = {
  registers: { perform: (person) => register(person.app, person.own) },
  'signs in': { perform: (person) => signIn(person, person.own) },
  'creates a project': creation,
};

/** What a signed-in person does with projects. */
export const projectSteps: PersonSteps = {
  'creates a project': creation,
  'leaves Projects': { isPossible: isOnProjects, perform: ({ app }) => app.go('/about') },
  'opens Projects': { isPossible: isElsewhere, perform: openAndLook },
  'creates a project without waiting': {
    isPossible: canSubmit,
    perform: (person) => submitProject(person),
  },
  'opens Projects without waiting': { isPossible: isElsewhere, perform: open },
  'submits a blank title, then one with a NUL character': {
    isPossible: canSubmit,
    async perform({ app }) {
      for (const title of [' ', 'NUL \0']) {
        await app.submit('createProject', [title, 'A backend may refuse the title.']);
        await app.settle();
      }
    },
  },
  'reloads the page': {
    isPossible: canSubmit,
    async perform(person) {
      await person.app.close();
      person.app = await person.openPage();
      return openAndLook(person);
    },
  },
  'creates a project in a second tab': {
    async perform(person) {
      // A project whose creation is pending may be in the list or not.
      await person.app.settle();
      const tab = (person.tab ??= await person.openPage());
      await reopen(tab);
      return (await look(person, tab)) ?? create(person, tab);
    },
  },
  'a visitor creates a project in another browser': {
    async perform(person) {
      const app = await openStranger(person);
      await reopen(app);
      await app.submit('createProject', Object.values(person.createProject()));
      // Accepted or refused: both are allowed.
      await app.settle();
    },
  },
};

/** What people do with accounts, in several browsers. */
export const accountSteps: PersonSteps = {
  'signs in in a second browser': {
    hashes: 1,
    isPossible: (_, { second }) => !second,
    perform: andVisit(async (person) => {
      person.second = await person.openBrowser();
      const words = 'signing in in a second browser fails';
      return submitCredentials(person.second, 'login', person.own, words);
    }),
  },
  'types a wrong password twice in another browser': {
    hashes: 2,
    isPossible: (_, { wrongPasswords }) => wrongPasswords + 2 <= maxWrongPasswords,
    perform: andVisit(async (person) => {
      const app = await openStranger(person);
      return (await typeWrongPassword(person, app)) ?? typeWrongPassword(person, app);
    }),
  },
  'presses "Sign in" and registers another person before the answer': {
    hashes: 2,
    isPossible: (_, { guest }) => !guest,
    perform: andVisit(async (person) => {
      person.guest = person.createAccount();
      person.signedIn = undefined;
      await person.app.go('/login');
      await person.app.submit('login', [person.own.email, person.own.password]);
      return register(person.app, person.guest);
    }),
  },
  'signs in': {
    hashes: 1,
    perform: andVisit((person) => signIn(person, person.own)),
  },
  'signs in as the other person': {
    hashes: 1,
    isPossible: (_, { guest }) => guest !== undefined,
    perform: andVisit((person) => signIn(person, person.guest!)),
  },
  'types a wrong password': {
    hashes: 1,
    isPossible: (_, { wrongPasswords }) => wrongPasswords + 1 <= maxWrongPasswords,
    perform: andVisit(async (person) => {
      person.signedIn = undefined;
      return typeWrongPassword(person, person.app);
    }),
  },
  'signs in while another person registers in another browser': {
    hashes: 2,
    perform: andVisit(async (person) => {
      const other = await openStranger(person);
      const [signedIn, registered] = await Promise.all([
        signIn(person, person.own),
        register(other, person.createAccount()),
      ]);
      return signedIn ?? registered;
    }),
  },
};

/** What all of these steps cost. */
export const hashesOf = (steps: PersonSteps) =>
  Object.values(steps).reduce((sum, { hashes = 0 }) => sum + hashes, 0);

const ordinals = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth'];
const ordinal = (count: number) => ordinals[count - 1] ?? `${count}th`;
