import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { runnerImport } from 'vite';
import { operationTable, type OperationId } from '../../generated/operations.ts';
import { CookieClient } from '../../tests/support/cookie-client.ts';
import { startReferenceServer } from '../../tests/support/reference-server.ts';
import { createAjv } from '../../server/http/validation.ts';
import { readCommandLine, selectNamesOrExit } from '../../tools/command-line.ts';
import { dereferencedContract } from '../../tools/contract.ts';
import { contractPath } from '../../tools/contract-source.ts';
import { printResult } from '../../tools/run.ts';
import { engines, type Engine } from './engines.ts';
import { tools, type Generated, type Module } from './tools.ts';
import {
  invalidBodies,
  longText,
  refusedTexts,
  texts,
  validBodies,
  type CaseName,
} from './values.ts';

const { words } = readCommandLine(
  `Usage: npm run node -- nightly/generators/main.ts [WORD…]

Generates clients, validators and mocks from openapi.yaml with the tools of docs/generators.md, in
temporary folders, and uses them on the reference backend with one table of values (values.ts).
Validates the same values with the JSON Schema engines of other languages. A WORD selects names.
Needs the registry of npm. What does not run, or is not installed, gets the exit code 2.`,
  { words: true },
);
const maxMockMs = 1000;
const originalFetch = globalThis.fetch;

const schemas = await contractSchemas();
const parent = mkdtempSync(join(tmpdir(), 'tracker-generators-'));
let exitCode = 0;
for (const name of selectNamesOrExit([...Object.keys(tools), ...Object.keys(engines)], words)) {
  const engine = engines[name];
  const problems = await (engine ? problemsOfEngine(engine) : problemsOfTool(name)).catch(
    (error: Error) => [error.message],
  );
  printResult(name, problems);
  if (problems.length > 0) exitCode ||= 1;
}
rmSync(parent, { recursive: true, force: true });
process.exit(exitCode);

/** Returns the schemas of the bodies, without references. */
async function contractSchemas(): Promise<Record<CaseName, object>> {
  const { components } = (await dereferencedContract()) as {
    components: { schemas: Record<string, object> };
  };
  const { Credentials, NewProject, Project, Refusal } = components.schemas;
  return {
    credentials: Credentials!,
    newProject: NewProject!,
    list: { type: 'array', items: Project! },
    error: Refusal!,
  };
}

async function problemsOfTool(name: string): Promise<string[]> {
  const { packages, files = {}, command, modules, use } = tools[name]!;
  const folder = join(parent, name.replaceAll(/\W/g, '-'));
  mkdirSync(folder);
  cpSync(contractPath, join(folder, 'openapi.yaml'));
  const written = { 'package.json': '{"private":true,"type":"module"}', ...files };
  for (const [file, text] of Object.entries(written)) writeFileSync(join(folder, file), text);
  run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...packages], folder);
  run('npx', ['--no-install', ...command.split(' ')], folder);

  const server = await startReferenceServer();
  try {
    const loaded: Module[] = [];
    for (const file of modules) {
      const options = { root: folder, configFile: false, logLevel: 'error' } as const;
      loaded.push((await runnerImport<Module>(join(folder, file), options)).module);
    }
    const { call, accepts, mockList } = use(loaded, server.origin);
    return [
      ...Object.entries(accepts ?? {}).flatMap(([body, isAccepted]) => [
        ...validBodies[body as CaseName]
          .filter((value) => !isAccepted(value))
          .map((value) => `refuses a valid ${body}: ${excerpt(value)}`),
        ...invalidBodies[body as CaseName]
          .filter((value) => isAccepted(value))
          .map((value) => `accepts an invalid ${body}: ${excerpt(value)}`),
      ]),
      ...(mockList ? problemsOfMock(mockList) : []),
      ...(await problemsOfClient(call, server.origin)),
    ];
  } finally {
    await server.stop();
  }
}

/** Uses a client as the app uses its own. */
async function problemsOfClient(call: Generated['call'], origin: string): Promise<string[]> {
  const { credentials } = useCookies(origin);
  const problems: string[] = [];
  const expectReply = async (id: OperationId, body: object | undefined, expected: object) => {
    const reply = await call(id, body);
    const isExpected = Object.entries({
      status: operationTable[id].successStatus,
      ...expected,
    }).every(([key, value]) => isDeepStrictEqual(reply[key as 'status'], value));
    if (!isExpected) problems.push(`${id} ${excerpt(body)} returned ${excerpt(reply)}`);
    return reply.body;
  };
  const noSession = { message: 'Please sign in to work with projects.' };
  await expectReply('listProjects', undefined, { status: 401, body: noSession });
  await expectReply('registerUser', credentials, { body: { role: 'member' } });
  await expectReply('registerUser', credentials, { status: 409 });
  await expectReply('login', { ...credentials, password: 'wrong horse' }, { status: 401 });
  await expectReply('login', credentials, { body: {} });
  const created: unknown[] = [];
  for (const description of [...texts, longText]) {
    const reply = await expectReply('createProject', { title: 'x', description }, {});
    created.push({ ...(reply as object), title: 'x', description });
  }
  for (const title of refusedTexts) {
    const message = 'Title contains a character that cannot be kept.';
    const refused = { status: 422, body: { message } };
    await expectReply('createProject', { title, description: 'x' }, refused);
  }
  await expectReply('listProjects', undefined, { body: created });
  return problems;
}

/** Gives `fetch` the cookies of a browser, and the address of the page to relative ones. */
function useCookies(origin: string): CookieClient {
  const client = new CookieClient(origin);
  globalThis.fetch = async (input, init) => {
    const request = new Request(typeof input === 'string' ? new URL(input, origin) : input, init);
    for (const header of Object.entries(client.cookieHeaders())) request.headers.set(...header);
    const response = await originalFetch(request);
    client.keepCookies(response.headers.getSetCookie());
    return response;
  };
  return client;
}

/** Makes many lists, because their lengths are random. */
function problemsOfMock(mockList: () => unknown): string[] {
  const isValid = createAjv().compile(schemas.list);
  const start = performance.now();
  const mocks = Array.from({ length: 100 }, mockList);
  const ms = performance.now() - start;
  return [
    ...mocks.filter((mock) => !isValid(mock)).map((mock) => `mocks ${excerpt(mock)}`),
    ...(ms > maxMockMs ? [`mocks 100 lists in ${Math.round(ms)} ms`] : []),
  ];
}

async function problemsOfEngine({ command, env, packages }: Engine): Promise<string[]> {
  const bodies = (Object.keys(schemas) as CaseName[]).flatMap((name) => [
    ...validBodies[name].map((value) => ({ name, value, isValid: true })),
    ...invalidBodies[name].map((value) => ({ name, value, isValid: false })),
  ]);
  // Other parsers refuse half a surrogate pair before a validator sees it.
  const cases = bodies.filter(({ value }) => !/\\ud[89a-f]/.test(JSON.stringify(value)));
  const input = JSON.stringify(
    cases.map(({ name, ...rest }) => ({ schema: schemas[name], ...rest })),
  );
  const [program = '', ...args] = command;
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd: import.meta.dirname,
    env: { ...process.env, ...env },
    input,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  if (error || status !== 0) {
    exitCode = 2;
    return [`did not run. It needs ${packages}:`, ...stderr.trim().split('\n').slice(0, 3)];
  }
  const results = JSON.parse(stdout) as boolean[];
  return cases
    .filter(({ isValid }, index) => results[index] !== isValid)
    .map(
      ({ name, value, isValid }) => `${isValid ? 'refuses' : 'accepts'} ${name} ${excerpt(value)}`,
    );
}

/** Throws what a program printed if it fails. */
function run(program: string, args: string[], cwd: string) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}\n${stdout}${stderr}`);
}

function excerpt(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
