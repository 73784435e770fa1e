/** The forms, under the call that each makes: its screen, its button, and the labels of its fields. */
export const forms = {
  login: {
    route: '/login',
    button: 'Sign in',
    fields: { email: 'Email', password: 'Password' },
  },
  registerUser: {
    route: '/register',
    button: 'Register',
    fields: { email: 'Email', password: 'Password' },
  },
  createProject: {
    route: '/projects',
    button: 'Create Project',
    fields: { title: 'Title', description: 'Description' },
  },
} as const;
