import { authMachine } from './auth.ts';
import { projectsMachine } from './projects.ts';

/** The machines, by id. */
export const machines = { auth: authMachine, projects: projectsMachine };
