import { setTimeout as passed } from 'node:timers/promises';
import type { Incoming, Reply } from '../fault-proxy.ts';
import {
  login,
  list,
  creating,
  isCall,
  fault,
  replies,
  successes,
  projectsLeaving,
  type Project,
  withJson,
  jsonOf,
  json,
  meeting,
  cookieOf,
  cookiesSet,
  type Fault,
} from '../fault-builders.ts';

/** What is wrong with projects and their list. */
export const projectFaults: Fault[] = [
  fault(
    'the list is wrapped in an object',
    'PROJECT-1',
    successes([list], (body) => ({ projects: body })),
  ),
  fault(
    'titles come as name',
    ['PROJECT-1', 'PROJECT-2'],
    projectsLeaving(({ id, title, description }) => ({ id, name: title, description })),
  ),
  fault(
    'descriptions are null',
    ['PROJECT-1', 'PROJECT-2'],
    projectsLeaving((project) => ({ ...project, description: null })),
  ),
  fault(
    'the list has no ids',
    'PROJECT-1',
    successes([list], (body: Project[]) =>
      body.map(({ title, description }) => ({ title, description })),
    ),
  ),
  fault(
    'the list has a null in it',
    'PROJECT-1',
    successes([list], (body: Project[]) => (body.length > 0 ? [...body, null] : body)),
  ),
  fault(
    'the list comes as one JSON object a line',
    ['PROJECT-1', 'REACH-2'],
    replies([list], (reply) =>
      reply.status === 200 && String(reply.body) !== '[]'
        ? {
            ...reply,
            body: (JSON.parse(String(reply.body)) as Project[])
              .map((one) => JSON.stringify(one))
              .join('\n'),
          }
        : undefined,
    ),
  ),
  fault(
    'the answer to creating is wrapped in an object',
    'PROJECT-2',
    successes([creating], (body) => ({ project: body })),
  ),
  fault(
    'creating is answered with 201 and no body',
    'PROJECT-2',
    replies([creating], (reply) => (reply.status === 201 ? { ...reply, body: '' } : undefined)),
  ),
  fault(
    'creating is answered with the id alone',
    'PROJECT-2',
    successes([creating], ({ id }: Project) => ({ id })),
  ),
  fault('creating is answered with the project before', 'PROJECT-2', () => {
    let before: Reply | undefined;
    return {
      reply(reply, incoming) {
        if (!isCall(incoming, creating) || reply.status !== 201) return undefined;
        const answered = before ?? reply;
        before = reply;
        return answered;
      },
    };
  }),
  fault(
    'creating is answered with title and description swapped',
    'PROJECT-2',
    successes([creating], ({ id, title, description }: Project) => ({
      id,
      title: description,
      description: title,
    })),
  ),
  fault(
    'from the sixtieth row on the list has no ids',
    'PROJECT-9',
    successes([list], (body: Project[]) =>
      body.map((project, index) => ({ ...project, id: index > 58 ? null : project.id })),
    ),
  ),
  fault("a visitor's project is answered with 201 and kept nowhere", 'ERR-3', () => ({
    reply: (reply, incoming) =>
      isCall(incoming, creating) && reply.status === 401
        ? json(201, { id: 'lost', ...jsonOf(incoming.body) })
        : undefined,
  })),
  fault(
    'an empty list is 204',
    'PROJECT-3',
    replies([list], (reply) =>
      String(reply.body) === '[]' ? { ...reply, status: 204, body: '' } : undefined,
    ),
  ),
  fault(
    'an empty list is null',
    'PROJECT-3',
    replies([list], (reply) =>
      String(reply.body) === '[]' ? { ...reply, body: 'null' } : undefined,
    ),
  ),
  fault(
    'an empty list is 404',
    'PROJECT-3',
    replies([list], (reply) =>
      String(reply.body) === '[]' ? json(404, { message: 'There are no projects.' }) : undefined,
    ),
  ),
  fault('the list is cached for each session', 'PROJECT-4', () => {
    const kept = new Map<string, Reply>();
    return {
      request: (incoming) =>
        isCall(incoming, list) ? kept.get(cookieOf(incoming, 'session') ?? '') : undefined,
      reply(reply, incoming) {
        const session = cookieOf(incoming, 'session');
        if (
          isCall(incoming, list) &&
          session &&
          reply.status === 200 &&
          String(reply.body) !== '[]'
        )
          kept.set(session, { ...reply });
      },
    };
  }),
  fault(
    'the list lacks the newest project',
    'PROJECT-4',
    successes([list], (body: Project[]) => body.slice(0, -1)),
  ),
  fault('created projects are answered and not kept', 'PROJECT-4', () => {
    let count = 0;
    return {
      request: (incoming) =>
        isCall(incoming, creating) && cookieOf(incoming, 'session') && count++ > 0
          ? json(201, { id: `made-${count}`, ...jsonOf(incoming.body) })
          : undefined,
    };
  }),
  fault(
    'the list is newest first',
    'PROJECT-5',
    successes([list], (body: Project[]) => body.toReversed()),
  ),
  fault(
    'the list is sorted by title',
    'PROJECT-5',
    successes([list], (body: Project[]) =>
      body.toSorted((one, other) => one.title.localeCompare(other.title)),
    ),
  ),
  fault('ids are used again', 'PROJECT-6', () => {
    const ids = new Map<unknown, number>();
    const short = (project: Project) => {
      if (!ids.has(project.id)) ids.set(project.id, ids.size % 2);
      return { ...project, id: ids.get(project.id) };
    };
    return projectsLeaving(short)();
  }),
  fault('ids are numbers beyond what JavaScript can tell apart', 'PROJECT-6', () => {
    const ids = new Map<unknown, bigint>();
    return replies([list, creating], (reply) => {
      if (reply.status >= 300) return undefined;
      const body = String(reply.body).replaceAll(/"id":"([^"]+)"/g, (_, id: string) => {
        if (!ids.has(id)) ids.set(id, 9_007_199_254_740_992n + BigInt(ids.size));
        return `"id":${ids.get(id)}`;
      });
      return { ...reply, body };
    })();
  }),
  fault('the same text twice gives the same project', 'PROJECT-6', () => {
    const known = new Map<string, Reply>();
    const key = (incoming: Incoming) => `${cookieOf(incoming, 'session')} ${incoming.body}`;
    return {
      request: (incoming) => (isCall(incoming, creating) ? known.get(key(incoming)) : undefined),
      reply(reply, incoming) {
        if (isCall(incoming, creating) && reply.status === 201)
          known.set(key(incoming), { ...reply });
      },
    };
  }),
  fault(
    'ids are their places in the list',
    'PROJECT-7',
    successes([list], (body: Project[]) =>
      body.map((project, index) => ({ ...project, id: index + 1 })),
    ),
  ),
  fault('ids are other ones in each list', 'PROJECT-7', () => {
    let count = 0;
    return successes([list], (body: Project[]) =>
      body.map((project) => ({ ...project, id: `${project.id}-${++count}` })),
    )();
  }),
  fault('projects belong to the session', 'PROJECT-8', () => {
    const own = new Map<string, Set<unknown>>();
    return {
      reply(reply, incoming) {
        const session = cookieOf(incoming, 'session') ?? '';
        const mine = own.get(session) ?? new Set();
        own.set(session, mine);
        if (isCall(incoming, creating) && reply.status === 201)
          mine.add(jsonOf(reply.body)?.['id']);
        if (!isCall(incoming, list) || reply.status !== 200) return undefined;
        return withJson(
          reply,
          (JSON.parse(String(reply.body)) as Project[]).filter(({ id }) => mine.has(id)),
        );
      },
    };
  }),
  fault('whoever signed in last is everybody', 'PROJECT-8', () => {
    let last: Incoming['headers'] | undefined;
    return {
      request: (incoming) =>
        isCall(incoming, list, creating) && last && cookieOf(incoming, 'session')
          ? { ...incoming, headers: { ...incoming.headers, ...last } }
          : undefined,
      reply(reply, incoming) {
        const lines = cookiesSet(reply);
        if (!isCall(incoming, login) || lines.length < 2) return;
        const pairs = lines.map((line) => line.split(';')[0]!);
        last = {
          cookie: pairs.join('; '),
          'x-xsrf-token': pairs.find((pair) => pair.startsWith('XSRF'))?.split('=')[1],
        };
      },
    };
  }),
  fault("visitors see everybody's projects", 'PROJECT-15', () => {
    const all: unknown[] = [];
    return {
      request: (incoming) =>
        isCall(incoming, list) && !cookieOf(incoming, 'session') ? json(200, all) : undefined,
      reply(reply, incoming) {
        if (isCall(incoming, creating) && reply.status === 201) all.push(jsonOf(reply.body));
      },
    };
  }),
  fault("a visitor's list is answered with 200 and an error", 'PROJECT-1', () => ({
    request: (incoming) =>
      isCall(incoming, list) && !cookieOf(incoming, 'session')
        ? json(200, { error: 'not signed in' })
        : undefined,
  })),
  fault("a visitor's project is answered with 200 and an error", 'ERR-3', () => ({
    request: (incoming) =>
      isCall(incoming, creating) && !cookieOf(incoming, 'session')
        ? json(200, { error: 'not signed in' })
        : undefined,
  })),
  fault(
    'the list has 20 projects at most',
    'PROJECT-9',
    successes([list], (body: Project[]) => body.slice(-20)),
  ),
  fault(
    'the list has 100 projects at most',
    'PROJECT-9',
    successes([list], (body: Project[]) => body.slice(0, 100)),
  ),
  fault('each XSRF token is good for one call', 'PROJECT-10', () => {
    const isSecond = meeting();
    return {
      request: async (incoming) =>
        isCall(incoming, creating) && (await isSecond())
          ? json(403, { message: 'The token was used before.' })
          : undefined,
    };
  }),
  fault('of projects created at once, one is lost', ['PROJECT-10', 'PROJECT-9'], () => {
    const isSecond = meeting();
    return {
      request: async (incoming) =>
        isCall(incoming, creating) && (await isSecond())
          ? json(201, { id: `lost-${Math.random()}`, ...jsonOf(incoming.body) })
          : undefined,
    };
  }),
  fault('lists asked for at once get mixed up', 'PROJECT-11', () => {
    let cookie: Incoming['headers'][string];
    return {
      async request(incoming) {
        if (!isCall(incoming, list)) return undefined;
        const { cookie: own, ...rest } = incoming.headers;
        cookie = own;
        await passed(30);
        return { ...incoming, headers: { ...rest, ...(cookie !== undefined && { cookie }) } };
      },
    };
  }),
  fault('a refused project is kept', 'PROJECT-12', () => ({
    async request(incoming, pass) {
      if (!isCall(incoming, creating)) return undefined;
      const { title } = jsonOf(incoming.body) ?? {};
      if (typeof title !== 'string' || title.trim() !== '' || title === '') return undefined;
      await pass(incoming);
      return json(422, { message: 'Title is required.' });
    },
  })),
  fault('a repeated Idempotency-Key is refused', 'PROJECT-13', () => {
    const keys = new Set<unknown>();
    return {
      request(incoming) {
        if (!isCall(incoming, creating)) return undefined;
        const key = incoming.headers['idempotency-key'];
        if (key && keys.has(key)) return json(409, { message: 'This was sent before.' });
        keys.add(key);
        return undefined;
      },
    };
  }),
  fault('the ETag of the list never changes', 'PROJECT-14', () => ({
    request: (incoming) =>
      isCall(incoming, list) && incoming.headers['if-none-match'] === '"constant"'
        ? { ...json(304, ''), headers: { etag: '"constant"' } }
        : undefined,
    reply: (reply, incoming) =>
      isCall(incoming, list) && reply.status === 200
        ? { ...reply, headers: { ...reply.headers, etag: '"constant"' } }
        : undefined,
  })),
];
