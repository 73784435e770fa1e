/** What signing in and working with projects take, in one script. */
export { createActors } from './actors.ts';
export { createApi } from './api/api.ts';
export { LoginScreen } from './screens/login.tsx';
export { ProjectsScreen } from './screens/projects.tsx';
export { RegisterScreen } from './screens/register.tsx';
