/** The lazy chunk: everything that the lazy screens need beyond the main chunk. */
import type { ComponentType } from 'react';
import { LoginScreen } from '../screens/login.tsx';
import { ProjectsScreen } from '../screens/projects.tsx';
import { RegisterScreen } from '../screens/register.tsx';
import type { LazyRoute } from '../../shared/routes.ts';

export { createActors } from '../actors.ts';
export { createApi } from '../api/api.ts';
export { createSession } from '../session.ts';

export const lazyScreens: Record<LazyRoute, ComponentType> = {
  '/register': RegisterScreen,
  '/login': LoginScreen,
  '/projects': ProjectsScreen,
};
