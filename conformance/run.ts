import { isAsked } from './cli.ts';
import { checks } from './checks/all.ts';
import { basePath } from './checks/reach.ts';
import { Blocked, Skipped, CheckFailed, type Check, type Problem } from './checks/check.ts';
import type { Exchange } from './http/wire.ts';
import { createFixtures, createRunId } from './fixtures.ts';
import { walkedIn, type Walked } from './journeys/walked.ts';
import { userMessagesIn, type UserMessage } from './report/user-messages.ts';
import { createWorld, type World } from './world.ts';

export type Result = {
  check: Check;
  /** `blocked`: what it builds on does not work, and is reported elsewhere. `skipped`: this backend has no such thing. */
  status: 'met' | 'failed' | 'noted' | 'skipped' | 'blocked';
  problems: Problem[];
  note: string | undefined;
  /** What was said for it. */
  exchanges: Exchange[];
  milliseconds: number;
};

export type Run = {
  origin: string;
  /** Which checks were asked for; all when empty. */
  only: string[];
  seed: number;
  mark: string;
  startedAt: Date;
  milliseconds: number;
  results: Result[];
  /** What people read where something goes wrong. */
  readings: UserMessage[];
  walked: Walked | undefined;
  /** The answers of the contract, with how often each came. */
  documented: { operation: string; status: number; times: number; faults: number }[];
  waits: World['wire']['waits'];
  left: { users: number; projects: number };
  world: World;
};

export type RunOptions = {
  origin: string;
  only?: string[];
  seed?: number;
  mark?: string;
  otherOrigin?: string | undefined;
  ui?: World['ui'];
  /** Milliseconds until a call counts as never ending. */
  patience?: number | undefined;
  /** Is told before each check. */
  progress?: (done: number, of: number, check: Check) => void;
};

/** Runs the checks against a backend, one after another, and gives what came of them. */
export async function run({
  origin,
  only = [],
  seed = 1,
  mark = createRunId(),
  otherOrigin,
  patience,
  ui,
  progress = () => {},
}: RunOptions): Promise<Run> {
  const startedAt = new Date();
  const began = performance.now();
  const world = createWorld(origin, createFixtures(seed, mark), otherOrigin, patience);
  world.ui = ui;
  const asked = checks.filter(({ id }) => isAsked(id, only));
  const results: Result[] = [];
  for (const check of asked) {
    progress(results.length, asked.length, check);
    const stops = nothingThere(results);
    results.push(stops ? blockedBy(stops, check) : await resultOf(check, world));
  }
  world.wire.close();
  const readings = await userMessagesIn(world);
  return {
    origin,
    only,
    seed,
    mark,
    startedAt,
    milliseconds: performance.now() - began,
    results,
    readings,
    walked: await walkedIn(world),
    documented: documentedIn(world),
    waits: world.wire.waits,
    left: leftIn(world),
    world,
  };
}

/** Where there is no API at all, nothing else is worth asking. */
const nothingThere = (results: Result[]) =>
  results.find(({ check, status }) => check.id === basePath.id && status === 'failed');

function blockedBy({ check: { id } }: Result, check: Check): Result {
  const note = `there is no API to ask: see ${id}`;
  return { check, status: 'blocked', problems: [], note, exchanges: [], milliseconds: 0 };
}

async function resultOf(check: Check, world: World): Promise<Result> {
  const began = performance.now();
  const before = world.wire.exchanges.length;
  const ended = (status: Result['status'], note?: string, problems: Problem[] = []): Result => ({
    check,
    status,
    problems,
    note,
    exchanges: world.wire.exchanges.slice(before),
    milliseconds: performance.now() - began,
  });
  try {
    const verdict = await check.run(world);
    if (verdict === undefined) return ended('met');
    return ended('noted', verdict.note);
  } catch (error) {
    if (error instanceof CheckFailed) return ended('failed', undefined, error.problems);
    if (error instanceof Skipped) return ended('skipped', error.message);
    if (error instanceof Blocked) return ended('blocked', error.message);
    // Our own mistake, or an answer that nobody thought of: it must not take the rest of the report with it.
    const what = error instanceof Error ? error.message : String(error);
    return ended('blocked', `the kit stumbled here, please report it: ${what}`);
  }
}

const paths: Record<string, string> = {
  'POST /api/v1/auth/login': 'login',
  'POST /api/v1/users/register': 'registerUser',
  'GET /api/v1/projects': 'listProjects',
  'POST /api/v1/projects': 'createProject',
};

/** Which of the four calls this was, if it was one. */
export const operationOf = ({ sent }: Exchange): string | undefined =>
  paths[`${sent.method} ${sent.path.split('?')[0]}`];

function documentedIn({ wire, contract }: World): Run['documented'] {
  return contract.documented.map(({ operation, status }) => {
    const came = wire.exchanges.filter(
      (each) => operationOf(each) === operation && each.answer?.status === status,
    );
    const faulty = came.filter(
      ({ answer }) => contract.faults(operation, status, parsed(answer!.text)).length > 0,
    );
    return { operation, status, times: came.length, faults: faulty.length };
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function leftIn({ wire }: World): Run['left'] {
  const made = (operation: string) =>
    wire.exchanges.filter(
      (each) =>
        operationOf(each) === operation &&
        each.answer !== undefined &&
        each.answer.status >= 200 &&
        each.answer.status < 300,
    ).length;
  return { users: made('registerUser'), projects: made('createProject') };
}

/** 0 when every MUST is met, otherwise 1: a MUST that could not be looked at is not met either. */
export function exitCodeOf({ results }: Run): 0 | 1 {
  const open = results.filter(
    ({ check, status }) => check.level === 'MUST' && (status === 'failed' || status === 'blocked'),
  );
  return open.length > 0 ? 1 : 0;
}
