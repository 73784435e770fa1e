export type Step =
  /** Presses a key, and waits until Orca has said something that includes `until`. */
  | { press: string; until: string | undefined }
  | { type: string }
  /** `hold` makes the server wait before it answers a form with a password, until `release`. */
  | { server: 'hold' | 'release' | 'expire sessions' };

export type Story = {
  /** Where the browser starts. Nothing is recorded before the page is idle. */
  path: string;
  /** The user has an account with so many projects. */
  projects?: number;
  /** Steps that are not recorded. */
  before?: Step[];
  steps: Step[];
};

export const email = 'ada@example.org';
export const password = 'correct horse';

const press = (key: string, until?: string): Step => ({ press: key, until });
const type = (text: string): Step => ({ type: text });

/** Signs in on the screen of that name. */
const signIn = (until: string): Step[] => [
  press('h', 'Sign in heading'),
  press('Tab', 'Email entry'),
  type(email),
  press('Tab', 'Password password text'),
  type(password),
  press('Return', until),
];

const signedIn = { path: '/login', before: signIn('No projects.') };

const createProject = (title: string, until: string): Step[] => [
  type(title),
  press('Tab', 'Description entry'),
  type('New pages.'),
  press('Tab', 'Create Project push button'),
  press('Return', until),
];

export const stories: Record<string, Story> = {
  register: {
    path: '/register',
    steps: [
      press('h', 'Create an account heading'),
      press('Tab', 'Email entry'),
      press('Return', 'Password is required'),
      type(email),
      press('Tab', 'Password is required'),
      type(password),
      press('Tab', 'Register push button'),
      { server: 'hold' },
      press('Return'),
      press('shift+Tab', 'Password password text'),
      press('Tab', 'grayed'),
      { server: 'release' },
      press('h', 'Sign in heading'),
    ],
  },
  'empty-form': {
    path: '/login',
    steps: [
      press('h', 'Sign in heading'),
      press('Tab', 'Email entry'),
      press('Tab', 'Email is required'),
      press('Tab', 'Password is required'),
      press('Return', 'Email is required'),
      press('Tab', 'Password is required'),
    ],
  },
  'empty-form-at-once': {
    path: '/login',
    steps: [
      press('b', 'Sign in push button'),
      press('Return', 'Password is required'),
      press('Tab', 'Password is required'),
    ],
  },
  'sign-in-refused': {
    path: '/login',
    projects: 0,
    steps: [
      press('h', 'Sign in heading'),
      press('Tab', 'Email entry'),
      type(email),
      press('Tab', 'Password password text'),
      type('wrong horse'),
      press('Return', 'is not right'),
      press('Return', 'is not right'),
    ],
  },
  'sign-in': { path: '/login', projects: 0, steps: signIn('No projects.') },
  'create-projects': {
    ...signedIn,
    projects: 0,
    steps: [
      press('Tab', 'Title entry'),
      ...createProject('Website relaunch', 'The project was created.'),
      ...createProject('Customer survey', 'The project was created.'),
      press('Tab', 'Description entry'),
      press('Tab', 'Create Project push button'),
      press('h', 'List of Projects heading'),
      press('h', 'Website relaunch heading'),
      press('h', 'Customer survey heading'),
    ],
  },
  'create-refused': {
    ...signedIn,
    projects: 0,
    steps: [
      { server: 'expire sessions' },
      press('Tab', 'Title entry'),
      ...createProject('Website relaunch', 'Please sign in'),
    ],
  },
  'two-projects': { path: '/login', projects: 2, steps: signIn('2 projects.') },
  'long-list': {
    path: '/login',
    projects: 2_000,
    before: signIn('2000 projects.'),
    steps: [
      // Leaves focus mode.
      press('shift+Tab', 'Sign in'),
      press('h', 'New Project heading'),
      press('h', 'List of Projects heading'),
      press('i', 'Project 1'),
      press('i', 'Project 2'),
      press('i', 'Project 3'),
      // Where am I?
      press('KP_Enter', '3 of 2000'),
      press('Down', 'Text 3'),
      press('Down', 'Project 4'),
      press('Down', 'Text 4'),
      press('KP_Enter', '4 of 2000'),
    ],
  },
  routes: {
    path: '/',
    steps: [
      press('Tab', 'Home'),
      press('Tab', 'About link'),
      press('Return', 'About Page heading'),
      press('shift+Tab', 'Sign in'),
      press('Return', 'Sign in heading'),
    ],
  },
  'error-page': {
    path: '/nowhere',
    steps: [
      press('h', 'Unexpected Application Error!'),
      press('Down', '404 Not Found'),
      press('Tab', 'Go to the start page link'),
      press('Return', 'Home heading'),
    ],
  },
};
