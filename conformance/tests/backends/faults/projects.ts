import type { Project } from '../../../../machines/types.ts';
import { eachText, sharesText, textNames, type TextName } from '../../../http/project-texts.ts';
import { jsonResponse, type StoredAccount, type BackendCall, type Change } from '../backend.ts';
import { getOrCreate } from '../../../people/get-or-create.ts';
import * as change from '../changes.ts';
import { untilQuiet } from '../test-clock.ts';
import { neverRespond, type BackendRequest, type BackendResponse } from '../stub-server.ts';

const lists =
  (list: (projects: Project[], call: BackendCall) => unknown): Change =>
  () => ({ listOf: ({ projects }, call) => list(projects, call) });

/** Leaves projects out like array_filter of PHP, whose result is an object if a key is missing. */
export const filteredLists = (isKept: (project: Project, projects: Project[]) => boolean): Change =>
  lists((projects) => {
    const kept = Object.entries(projects).filter(([, project]) => isKept(project, projects));
    const isArray = kept.every(([key], index) => Number(key) === index);
    return isArray ? kept.map(([, project]) => project) : Object.fromEntries(kept);
  });

const created =
  (body: (project: Project) => unknown): Change =>
  () => ({ created: (project) => jsonResponse(201, body(project)) });

/** Caches the list of a key until a project is created with it. */
const cachedLists =
  (keyOf: (call: BackendCall) => string): Change =>
  () => {
    const cache = new Map<string, Project[]>();
    return change.all(
      change.before('createProject', (_backend, call) => cache.delete(keyOf(call))),
      lists((all, call) => getOrCreate(cache, keyOf(call), () => [...all])),
    );
  };

const longListsFail = (maxLength: number) =>
  change.after(
    'listProjects',
    (_list, { account }) => account && account.projects.length > maxLength && change.error(500),
  );

const keyOf = ({ headers }: BackendRequest) => headers['idempotency-key'];

const uniqueKey = (request: BackendRequest) => String(keyOf(request) ?? Math.random());

const textOf = ({ json }: BackendCall) => textNames.map((name) => String(json[name])).join(' ');

/** Changes the response to an Idempotency-Key that was sent before in this scope. */
const repeatedKey =
  (
    scopeOf: (call: BackendCall) => string,
    respond: (
      call: BackendCall,
      first: { text: string; response: BackendResponse },
    ) => BackendResponse,
  ): Change =>
  ({ createProject }) => {
    const firsts = new Map<string, Parameters<typeof respond>[1]>();
    return {
      createProject(call) {
        const key = keyOf(call.request);
        const first = firsts.get(`${String(key)} ${scopeOf(call)}`);
        if (key && first) return respond(call, first);
        const response = createProject(call);
        if (response.status === 201)
          firsts.set(`${String(key)} ${scopeOf(call)}`, { text: textOf(call), response });
        return response;
      },
    };
  };

const otherThan = (name: TextName) => textNames.find((other) => other !== name)!;

const idOf = (response: BackendResponse) => change.jsonOf(response)['id'];

/** Shows each project only where it was created. */
const scatteredProjects =
  (placeOf: (call: BackendCall) => unknown): Change =>
  () => {
    const places = new Map<unknown, unknown>();
    return change.all(
      change.after('createProject', (response, call) => {
        places.set(idOf(response), placeOf(call));
      }),
      lists((all, call) => all.filter(({ id }) => places.get(id) === placeOf(call))),
    );
  };

const etags = (
  etagOf: (list: Project[]) => string,
  [name, condition]: [string, string] = ['etag', 'if-none-match'],
  isSame = (sent: unknown, etag: string) => sent === etag,
): Change =>
  change.responsesTo('listProjects', 200, (response, { headers }) => {
    const etag = etagOf(JSON.parse(String(response.body)) as Project[]);
    return isSame(headers[condition], etag)
      ? { status: 304, headers: { [name]: etag }, body: '' }
      : { ...response, headers: { ...response.headers, [name]: etag } };
  });

const renamed = (project: Project) =>
  Object.fromEntries(Object.values(project).map((value, index) => [`p${index}`, value]));

/** Faults of creating and listing projects that break other checks, or need their users. */
export const projectFaults: Record<string, Change> = {
  'PROJECT-1: the list is wrapped in an object': lists((projects) => ({ projects })),
  'PROJECT-1: a text of each project is null': change.all(
    lists((all) => all.map((project) => ({ ...project, [textNames.at(-1)!]: null }))),
    created((project) => ({ ...project, [textNames.at(-1)!]: null })),
  ),
  'PROJECT-1: the fields of each project have other names': change.all(
    lists((all) => all.map((project) => renamed(project))),
    created(renamed),
  ),
  'PROJECT-2: a project with an Idempotency-Key is refused': change.refuse(
    'createProject',
    400,
    (_, { headers }) => 'idempotency-key' in headers,
  ),
  'PROJECT-2: the createProject response is wrapped in an object': created((project) => ({
    project,
  })),
  'PROJECT-2: createProject returns the text of another field': created((project) => ({
    ...project,
    ...eachText((name) => (textNames.length > 1 ? project[otherThan(name)] : 'another')),
  })),
  'PROJECT-4: the list lacks the newest project': lists((all) => all.slice(0, -1)),
  'PROJECT-4: one of eight projects is stored 0.3 s after its response': (_backend, clock) => {
    const storedMs = new Map<unknown, number>();
    let count = 0;
    return change.all(
      change.before('created', (_, { id }) => {
        if (++count % 8 === 0) storedMs.set(id, clock.now() + 300);
      }),
      lists((all) => all.filter(({ id }) => (storedMs.get(id) ?? 0) <= clock.now())),
    );
  },
  'PROJECT-22: a user sees the project of a user of an earlier run': lists((all, { account }) =>
    account!.email.startsWith('bob')
      ? [...all, { ...all[0], id: 'old', ...eachText(() => 'Project seen 0123456789a') }]
      : all,
  ),
  'PROJECT-1: a list of more than 10 projects fails': longListsFail(10),
  'PROJECT-4: each project is stored twice': change.before(
    'created',
    ({ accounts, createId }, project) => {
      for (const { projects } of accounts.values())
        if (projects.includes(project)) projects.push({ ...project, id: createId() });
    },
  ),
  'PROJECT-4: lists are cached for five seconds': (_backend, clock) => {
    const cache = new Map<string, { list: Project[]; endMs: number }>();
    return lists((all, { session }) => {
      const cached = cache.get(session);
      if (cached && clock.now() < cached.endMs) return cached.list;
      clock.increment(20);
      cache.set(session, { list: [...all], endMs: clock.now() + 5_000 });
      return all;
    });
  },
  'PROJECT-15: a request without a session is that of the first user': ({ accounts }) =>
    change.after('findAccount', (account) => account ?? [...accounts.values()][0]),
  'PROJECT-22: a session belongs to the first account with the name before the @': ({
    accounts,
  }) => ({
    listOf: ({ email }) =>
      [...accounts.values()].find((each) => each.email.split('@')[0] === email.split('@')[0])!
        .projects,
  }),
  'PROJECT-22: the list has the projects of all users whose email ends in that of its user': ({
    accounts,
  }) => ({
    listOf: ({ email }) =>
      [...accounts.values()]
        .filter((each) => each.email.endsWith(email))
        .flatMap(({ projects }) => projects),
  }),
  'PROJECT-22: the list has the projects of all users whose email begins alike': ({
    accounts,
  }) => ({
    listOf({ email }) {
      const alike = [...accounts.values()].filter((each) => each.email.startsWith(email[0]!));
      return alike.flatMap(({ projects }) => projects);
    },
  }),
};

/** Other faults of projects. */
export const otherProjectFaults: Record<string, Change> = {
  'PROJECT-1: listProjects returns 200 and an error to a signed-out user': change.responsesTo(
    'listProjects',
    401,
    () => jsonResponse(200, { error: 'not signed in' }),
  ),
  'PROJECT-30: each fifth project gets the title of the one before': ({ createProject }) => {
    let last: BackendCall['json'] = {};
    let count = 0;
    return {
      createProject(call) {
        const { json } = call;
        const title = ++count % 5 === 0 ? last['title'] : json['title'];
        last = json;
        return createProject({ ...call, json: { ...json, title } });
      },
    };
  },
  'PROJECT-30: each row of a list is the last project': lists((all) => all.map(() => all.at(-1))),
  'PROJECT-30: each row of a list has the texts of the last project': lists((all) =>
    all.map(({ id }) => ({ ...all.at(-1), id })),
  ),
  'PROJECT-30: some responses have the id of the next project': change.all(
    change.ids((count) => count),
    change.after(
      'created',
      (response, { id }) =>
        Number(id) % 7 < 2 &&
        change.withJson(response, { ...change.jsonOf(response), id: Number(id) + 1 }),
    ),
  ),
  'PROJECT-30: the response to a new project has the number of its user as its id': ({
    accounts,
  }) =>
    change.all(
      change.ids((count) => count + 1),
      change.after('createProject', (response, { account }) => {
        const id = [...accounts.values()].indexOf(account!) + 1;
        return (
          response.status === 201 && change.withJson(response, { ...change.jsonOf(response), id })
        );
      }),
    ),
  'PROJECT-3: an empty list is null': lists((all) => (all.length > 0 ? all : null)),
  'PROJECT-5: the list is sorted newest first': lists((all) => all.toReversed()),
  'PROJECT-5: the list is sorted by the text of its ids, which are numbers': change.all(
    change.ids((count) => count + 995),
    lists((all) =>
      all.toSorted((one, other) => String(one.id).localeCompare(String(other.id), 'en')),
    ),
  ),
  'PROJECT-5: every fourth list begins with another project': () => {
    let count = 0;
    return lists((all) => (++count % 4 === 0 ? [...all.slice(1), ...all.slice(0, 1)] : all));
  },
  'PROJECT-4: a list without repeated titles becomes an object': filteredLists(
    (project, projects) => projects.find((each) => sharesText(each, project)) === project,
  ),
  'PROJECT-9: one of many projects has the id of the one before': change.ids((count) =>
    count === 200 ? 199 : count,
  ),
  'PROJECT-6: project ids are reused': change.ids((count) => count % 2),
  'PROJECT-30: the list has its newest project twice': lists((all) => [...all, ...all.slice(-1)]),
  'PROJECT-7: project ids have another letter case in the list': lists((all) =>
    all.map((project) => ({ ...project, id: String(project.id).toUpperCase() })),
  ),
  'PROJECT-8: a new project replaces the newest one of the user who created before': () => {
    let last: StoredAccount | undefined;
    return change.after('createProject', ({ status }, { account }) => {
      if (status !== 201) return;
      if (last !== account) last?.projects.pop();
      last = account;
    });
  },
  'PROJECT-8: projects belong to the session': scatteredProjects(({ session }) => session),
  'PROJECT-22: every request acts as the user who created a project last': () => {
    let last: StoredAccount | undefined;
    return change.after('findAccount', (account, _session, request) => {
      if (!account || change.isOperation(request, 'createProject')) last = account;
      return last;
    });
  },
  'PROJECT-9: the list contains only the oldest 25 projects': lists((all) => all.slice(0, 25)),
  'PROJECT-9: the list contains only the oldest 15 projects': lists((all) => all.slice(0, 15)),
  'PROJECT-9: the list contains only the newest 20 projects': lists((all) => all.slice(-20)),
  'PROJECT-9: the list contains only the oldest 200 projects': lists((all) => all.slice(0, 200)),
  'PROJECT-9: of more than 100 projects, each third is lost': lists((all) =>
    all.length > 100 ? all.filter((_, index) => index % 3 > 0) : all,
  ),
  'PROJECT-9: a list of more than 100 projects fails': longListsFail(100),
  'PROJECT-10: one of two concurrently created projects is lost': change.atOnce(
    'createProject',
    (place, request) => place === 2 && change.lostProject(change.jsonOf(request)),
  ),
  'PROJECT-10: four of five projects at once fail': change.atOnce(
    'createProject',
    (place) => place > 1 && change.error(500, 'The database is locked.'),
  ),
  'PROJECT-10: lists and creates at once wait for each other': (_backend, clock) => {
    let listing = 0;
    const isList = (request: BackendRequest) => change.isOperation(request, 'listProjects');
    return change.all(
      change.responses((_list, request) => void (listing -= Number(isList(request)))),
      change.atOnce('listProjects', (_place, request, next) =>
        untilQuiet().then(() => next(request)),
      ),
      change.requests((request) => void (listing += Number(isList(request)))),
      change.atOnce('createProject', () => listing > 0 && neverRespond(clock)),
    );
  },
  'PROJECT-22: one of several projects created at once is stored for the first account': ({
    accounts,
    createId,
  }) =>
    change.atOnce('createProject', (place, request) => {
      if (place !== 2) return undefined;
      const project = { ...change.jsonOf(request), id: createId() } as Project;
      [...accounts.values()][0]!.projects.push(project);
      return jsonResponse(201, project);
    }),
  'PROJECT-4: each of two processes keeps projects of its own': scatteredProjects(
    ({ request }) => request.connection % 2,
  ),
  'PROJECT-10: the fourth of several projects created at once gets the id of the third': () => {
    let third: unknown;
    return change.atOnce('createProject', async (place, request, next) => {
      const response = await next(request);
      if (place === 3) third = idOf(response);
      const project = { ...change.jsonOf(response), id: third };
      return place === 4 ? change.withJson(response, project) : response;
    });
  },
  'PROJECT-22: concurrent listProjects requests receive the list of another user': () => {
    let last: BackendRequest;
    return change.all(
      change.atOnce('listProjects', (_place, _request, next) => next(last)),
      change.requestsTo('listProjects', (request) => (last = request)),
    );
  },
  'PROJECT-22: lists are cached for two seconds without their user': (_backend, clock) => {
    let cached = { list: [] as Project[], endMs: 0 };
    return lists((all) => {
      clock.increment(20);
      if (clock.now() >= cached.endMs) cached = { list: [...all], endMs: clock.now() + 2_000 };
      return cached.list;
    });
  },
  'PROJECT-12: a project that is refused is stored': change.after(
    'createProject',
    (_response, { json }) => textNames.some((name) => json[name] === ' ') && change.error(422),
  ),
  'PROJECT-12: a project that is refused is stored with the next one': ({ createProject }) => {
    const kept: BackendCall[] = [];
    return {
      createProject(call) {
        const isBlank = textNames.some((name) => call.json[name] === ' ');
        if (isBlank) kept.push(call);
        else for (const each of kept.splice(0)) createProject(each);
        return isBlank ? change.error(422) : createProject(call);
      },
    };
  },
  'PROJECT-13: a repeated Idempotency-Key returns an id that no project has': repeatedKey(
    (call) => call.session + textOf(call),
    ({ json }) => change.lostProject(json),
  ),
  'PROJECT-13: a repeated Idempotency-Key is refused': repeatedKey(
    (call) => call.session + textOf(call),
    () => change.error(409),
  ),
  'PROJECT-26: an Idempotency-Key with which a visitor was refused is refused again': () => {
    const refused = new Map<unknown, BackendResponse>();
    return change.respond(async (request, next) => {
      const key = uniqueKey(request);
      const response = refused.get(key) ?? (await next(request));
      if (response.status === 401) refused.set(key, response);
      return response;
    });
  },
  'PROJECT-26: an Idempotency-Key stays in use after a refusal': () => {
    const refused = new Set<string>();
    return change.after('createProject', ({ status }, { request }) => {
      const isRepeated = refused.has(uniqueKey(request));
      if (status === 422) refused.add(uniqueKey(request));
      return isRepeated && change.error(409);
    });
  },
  'PROJECT-31: a project without an Idempotency-Key is refused': change.refuse(
    'createProject',
    400,
    (_json, request) => !keyOf(request),
  ),
  'PROJECT-31: a project without an Idempotency-Key is not stored': change.after(
    'createProject',
    (response, { account, request }) => {
      if (response.status === 201 && !keyOf(request)) account!.projects.pop();
    },
  ),
  'PROJECT-31: a project without an Idempotency-Key gets the first one of its user': () => {
    const first = new Map<unknown, BackendResponse>();
    return change.after('createProject', (response, { account, request }) => {
      if (response.status !== 201 || keyOf(request)) return undefined;
      return getOrCreate(first, account, () => response);
    });
  },
  'PROJECT-29: one of two concurrent requests with one Idempotency-Key is refused': change.atOnce(
    'createProject',
    (place) => place === 2 && change.error(409),
    uniqueKey,
  ),
  'PROJECT-29: two concurrent requests with one Idempotency-Key create two projects': change.atOnce(
    'createProject',
    (place, request, next) =>
      place === 2 && next({ ...request, headers: { ...request.headers, 'idempotency-key': '' } }),
    uniqueKey,
  ),
  'PROJECT-29: of two concurrent requests with one Idempotency-Key, both store the project':
    change.atOnce(
      'createProject',
      async (place, request, next) => {
        if (place === 2)
          await next({ ...request, headers: { ...request.headers, 'idempotency-key': '' } });
        return next(request);
      },
      uniqueKey,
    ),
  // Like a time in seconds.
  'PROJECT-14: the ETag changes with each third project': etags(
    (list) => `"${list[0]?.id} ${Math.floor((list.length + 1) / 3)}"`,
  ),
  'PROJECT-14: the time of the list counts seconds': etags(
    (list) => `the second of ${list[0]?.id}`,
    ['last-modified', 'if-modified-since'],
  ),
  'PROJECT-32: each ETag gets 304': etags(
    (list) => `"${list.map(({ id }) => id).join(' ')}"`,
    undefined,
    Boolean,
  ),
  'PROJECT-32: the ETag of the list never changes': etags(() => '"constant"'),
  'PROJECT-32: the ETag is the number of projects': etags((list) => `"${list.length}"`),
  'PROJECT-24: a new project with the id of another one replaces it': ({
    accounts,
    projects,
    createProject,
  }) => ({
    createProject(call) {
      const { account, json } = call;
      const taken = projects.find(({ id }) => id === json['id']);
      if (!account || !taken) return createProject(call);
      for (const owner of accounts.values())
        owner.projects = owner.projects.filter((project) => project !== taken);
      account.projects.push(Object.assign(taken, json));
      return jsonResponse(201, taken);
    },
  }),
  'PROJECT-24: a request chooses the owner of its project': ({ accounts, createProject }) => ({
    createProject(call) {
      const owner = accounts.get(String(call.json['owner']));
      return createProject({ ...call, account: call.account && (owner ?? call.account) });
    },
  }),
  'PROJECT-15: one of four requests without a session is that of the last user': () => {
    let last: StoredAccount | undefined;
    let count = 0;
    return change.after('findAccount', (account) => {
      last = account ?? last;
      return !account && ++count % 4 === 0 && last;
    });
  },
  'PROJECT-16: the list is cached until its session creates a project': cachedLists(
    ({ session }) => session,
  ),
  'PROJECT-16: each of two processes caches lists until it creates a project': cachedLists(
    ({ request, account }) => `${request.connection % 2} ${account?.email}`,
  ),
  'PROJECT-17: project ids are integers above Number.MAX_SAFE_INTEGER': change.all(
    change.ids((count) => `big-${9_007_199_254_740_992n + BigInt(count)}`),
    change.responses((response) => ({
      ...response,
      body: String(response.body).replaceAll(/"big-(\d+)"/g, '$1'),
    })),
  ),
  'PROJECT-19: an Idempotency-Key with another text returns the first project': repeatedKey(
    ({ session }) => session,
    (_call, { response }) => response,
  ),
  'PROJECT-19: an Idempotency-Key with another text causes a 500': repeatedKey(
    ({ session }) => session,
    (call, { text, response }) => (text === textOf(call) ? response : change.error(500)),
  ),
  'PROJECT-19: an Idempotency-Key with another text gets a project that is not stored': repeatedKey(
    ({ session }) => session,
    (call, { text, response }) =>
      text === textOf(call) ? response : change.lostProject(call.json),
  ),
  'PROJECT-20: users share their Idempotency-Keys': repeatedKey(
    textOf,
    (_call, { response }) => response,
  ),
  'PROJECT-23: a project replaces the one with its title': lists((all) =>
    all.filter((one) => all.findLast(({ title }) => title === one.title) === one),
  ),
  'PROJECT-23: a list has one project of each title': lists((all) =>
    all.filter((one) => all.find(({ title }) => title === one.title) === one),
  ),
  'PROJECT-23: a title of another user causes a 500': ({ projects }) =>
    change.after('createProject', (_response, { account, json }) => {
      const sameTitle = projects.filter(({ title }) => title === json['title']);
      return (
        account && !sameTitle.every((each) => account.projects.includes(each)) && change.error(500)
      );
    }),
};
