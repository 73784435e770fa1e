import { oncePerRun, type RunContext } from '../people/run-context.ts';

export const listAsVisitor = oncePerRun((context) => context.newBrowser('visitor').listProjects());

/** Fetches ten lists at once without cookies: a thread or a process may still have a user. */
export const listAsManyVisitors = (context: RunContext) =>
  Promise.all(Array.from({ length: 10 }, () => context.newBrowser('visitor').listProjects()));

export const createAsVisitor = oncePerRun(async (context) =>
  (await creatingVisitor(context)).createProject(context.fixtures.project('of a visitor')),
);

/** The browser of `createAsVisitor`. It has no cookies before that. */
export const creatingVisitor = oncePerRun(async (context) => context.newBrowser('visitor'));

/** Returns whether a visitor without cookies gets a list. */
export const isListPublic = async (context: RunContext) =>
  (await listAsVisitor(context)).outcome.ok === true;
