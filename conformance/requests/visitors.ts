import { oncePerRun, type RunContext } from '../people/run-context.ts';

/** Fetches the list without cookies. */
export const listAsVisitor = oncePerRun((context) => context.newBrowser('visitor').listProjects());

/** Fetches the list ten times without cookies: a thread or a process may still have a user. */
export async function listAsManyVisitors(context: RunContext) {
  const lists = [];
  while (lists.length < 10) lists.push(await context.newBrowser('visitor').listProjects());
  return lists;
}

/** Creates a project without cookies. */
export const createAsVisitor = oncePerRun(async (context) =>
  (await creatingVisitor(context)).createProject(context.fixtures.project('of a visitor')),
);

/** The browser of `createAsVisitor`. It has no cookies before that. */
export const creatingVisitor = oncePerRun(async (context) => context.newBrowser('visitor'));

/** Returns whether a visitor without cookies gets a list. */
export const isListPublic = async (context: RunContext) =>
  (await listAsVisitor(context)).outcome.ok === true;
