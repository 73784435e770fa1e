import { authMachine } from './auth.ts';
import { projectsMachine } from './projects.ts';

export const machines = { auth: authMachine, projects: projectsMachine };
