/** The lazy chunk: everything that /register, /login and /projects need beyond the main chunk. */
export { createActors } from './actors.ts';
export { createApi } from './api/api.ts';
export { LoginScreen } from './screens/login.tsx';
export { ProjectsScreen } from './screens/projects.tsx';
export { RegisterScreen } from './screens/register.tsx';
