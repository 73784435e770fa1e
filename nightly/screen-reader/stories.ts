/**
 * What a user does with the keyboard, and what Orca must say after each key. An expectation has the
 * name, the role and the text of an element or a message. It allows the words of several versions.
 */
export type Step =
  /** Presses a key. Orca must say a match of each expression, in any order. */
  { press: string; says: RegExp[] } | { type: string } | { server: 'expire sessions' };

export const email = 'ada@example.org';
export const password = 'correct horse';

const press = (key: string, ...says: RegExp[]): Step => ({ press: key, says });
const type = (text: string): Step => ({ type: text });

const signIn: Step[] = [
  press('h', /Sign in.*heading/),
  press('Tab', /Email.*(entry|edit)/),
  type(email),
  press('Tab', /Password.*password/),
  type(password),
  press('Return', /New Project.*heading/, /No projects\./),
];

const fillProject: Step[] = [
  press('Tab', /Title.*(entry|edit)/),
  type('Website relaunch'),
  press('Tab', /Description.*(entry|edit)/),
  type('New pages.'),
  press('Tab', /Create Project.*button/),
];

/** Each starts on the screen "Sign in", with an account without projects. */
export const stories: Record<string, Step[]> = {
  'sign-in': signIn,
  'create-project': [
    ...signIn,
    ...fillProject,
    press('Return', /The project was created\./, /Title.*(entry|edit)/),
    // Leaves the field, so that a letter is a command again.
    press('shift+Tab', /Projects.*link|Register.*link|Sign in.*link/),
    press('h', /New Project.*heading/),
    press('h', /List of Projects.*heading/),
    press('h', /Website relaunch.*heading/),
  ],
  'create-refused': [
    ...signIn,
    ...fillProject,
    { server: 'expire sessions' },
    press('Return', /Please sign in to work with projects\./),
  ],
};
