import { createHeadlessApp } from '../../../model/headless-app.ts';
import { isAuthenticated, roleOf } from '../../../machines/auth.ts';
import { callNames, definitionOf, userEvent } from '../../../model/calls.ts';
import type { Inspect } from '../../../src/actors.ts';
import type { Api } from '../../../src/api/api.ts';

/** Runs the app without screens. Adds to it what the conformance kit does not need. */
export function createHeadlessDriver(api: Api, inspect?: Inspect) {
  const logged: string[] = [];
  const log = (operationId: string) => logged.push(operationId);
  const app = createHeadlessApp(api, { log, ...(inspect && { inspect }) });
  return {
    ...app,
    async activate(button: string, row: number | undefined) {
      const call = callNames.find((name) => definitionOf(name).control?.button === button)!;
      const rows = app.projects.getSnapshot().context.projects;
      app.actorOf(call).send(userEvent(call, 0, row === undefined ? rows : rows.slice(row))!);
    },
    internals: async () => ({
      authenticated: isAuthenticated(app.auth.getSnapshot()),
      role: roleOf(app.auth.getSnapshot()),
    }),
    observe: async () => ({ ...(await app.observe()), logged: [...logged] }),
  };
}
