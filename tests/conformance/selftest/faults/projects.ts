import {
  changeCreatedProject,
  changeCreateResponse,
  changeEmptyList,
  changeList,
  changeListResponse,
  changeProjects,
  changeResponses,
  createFaults,
  emailOf,
  errorResponse,
  hasSession,
  interceptRequests,
  interceptResponses,
  isOperation,
  isProjectOperation,
  jsonObjectOf,
  jsonResponse,
  newCookieOf,
  projectsOf,
  respondToConcurrent,
  sessionOf,
  setCookiesOf,
  withBody,
  withHeaders,
  withJson,
  type FaultTable,
} from '../fault-builders.ts';
import type { HeaderMap, Middleware, ProxyRequest, ProxyResponse } from '../fault-proxy.ts';
import { untilQuiet } from '../test-clock.ts';

/** Faults of creating and listing projects. */
export const projectFaults: FaultTable[] = [
  createFaults(changeList, {
    'the list is wrapped in an object [PROJECT-1]': (projects) => ({ projects }),
    'the list contains no ids [PROJECT-1]': (projects) =>
      projects.map(({ title, description }) => ({ title, description })),
    'the list contains a null [PROJECT-1]': (projects) =>
      projects.length > 0 ? [...projects, null] : projects,
    'a project replaces the one with its title [PROJECT-23]': (projects) =>
      projects.filter(
        ({ title }, index) => !projects.slice(index + 1).some((later) => later.title === title),
      ),
    'the list lacks the newest project [PROJECT-4]': (projects) => projects.slice(0, -1),
    'the list is sorted newest first [PROJECT-5]': (projects) => projects.toReversed(),
    'the list is sorted by title [PROJECT-5]': (projects) =>
      projects.toSorted((left, right) => left.title.localeCompare(right.title)),
    'a list of more than 100 projects is sorted newest first [PROJECT-5]': (projects) =>
      projects.length > 100 ? projects.toReversed() : projects,
    'project ids have another letter case in the list [PROJECT-7]': (projects) =>
      projects.map(({ id, ...project }) => ({ ...project, id: String(id).toUpperCase() })),
    'project ids are positions in the list [PROJECT-7]': (projects) =>
      projects.map((project, index) => ({ ...project, id: index + 1 })),
    'the list has no ids from row 60 on [PROJECT-9]': (projects) =>
      projects.map((project, index) => ({ ...project, id: index > 58 ? null : project.id })),
    'the list contains only the newest 20 projects [PROJECT-9]': (projects) => projects.slice(-20),
    'the list contains only the oldest 100 projects [PROJECT-9]': (projects) =>
      projects.slice(0, 100),
  }),
  createFaults(changeCreatedProject, {
    'the createProject response is wrapped in an object [PROJECT-2]': (project) => ({ project }),
    'createProject returns only the id [PROJECT-2]': ({ id }) => ({ id }),
    'createProject returns title and description swapped [PROJECT-2]': ({
      id,
      title,
      description,
    }) => ({ id, title: description, description: title }),
  }),
  createFaults(changeProjects, {
    'titles are in "name" [PROJECT-1, PROJECT-2]': ({ title, ...project }) => ({
      ...project,
      name: title,
    }),
    'descriptions are null [PROJECT-1, PROJECT-2]': (project) => ({
      ...project,
      description: null,
    }),
  }),
  createFaults(storeAnyValue, {
    'a title that is not a string is stored as it is [PROJECT-18]': 'title',
    'a description that is not a string is stored as it is [PROJECT-18]': 'description',
  }),
  createFaults(changeEmptyList, {
    'the server answers an empty list with 204 [PROJECT-3]': ({ headers }) => ({
      status: 204,
      headers,
      body: '',
    }),
    'the server sends null in place of an empty list [PROJECT-3]': (response) =>
      withBody(response, 'null'),
    'the server answers an empty list with 404 [PROJECT-3]': () =>
      errorResponse(404, 'There are no projects.'),
  }),
  createFaults(interceptRequests, {
    'listProjects returns 200 and an error to a signed-out user [PROJECT-1]': (request) =>
      isOperation(request, 'listProjects') &&
      !hasSession(request) &&
      jsonResponse(200, { error: 'not signed in' }),
    'createProject returns 200 and an error to a signed-out user [ERR-3]': (request) =>
      isOperation(request, 'createProject') &&
      !hasSession(request) &&
      jsonResponse(200, { error: 'not signed in' }),
  }),
  {
    'the list is newline-delimited JSON [REACH-2, PROJECT-1]': () =>
      changeListResponse((response) => {
        const lines = projectsOf(response).map((project) => JSON.stringify(project));
        return lines.length > 0 && withBody(response, lines.join('\n'));
      }),
    'createProject returns 201 without a body [PROJECT-2]': () =>
      changeCreateResponse((response) => withBody(response, '')),
    'createProject returns the previously created project [PROJECT-2]': () => {
      let previous: ProxyResponse | undefined;
      return changeCreateResponse((response) => {
        const returned = previous;
        previous = response;
        return returned;
      });
    },
    'the server caches the list per session [PROJECT-4]': () => {
      const cache = new Map<string, ProxyResponse>();
      return async (request, next) => {
        if (!isOperation(request, 'listProjects')) return next(request);
        const session = sessionOf(request);
        const response = cache.get(session) ?? (await next(request));
        if (session && response.status === 200 && projectsOf(response).length > 0)
          cache.set(session, response);
        return response;
      };
    },
    'the server caches the list until its session creates a project [PROJECT-16]': () => {
      const cache = new Map<string, ProxyResponse>();
      return async (request, next) => {
        const session = sessionOf(request);
        if (isOperation(request, 'createProject')) cache.delete(session);
        if (!isOperation(request, 'listProjects')) return next(request);
        const response = cache.get(session) ?? (await next(request));
        if (session && response.status === 200) cache.set(session, response);
        return response;
      };
    },
    'createProject returns projects that the server does not store [PROJECT-4]': () => {
      let count = 0;
      return interceptRequests((request) => {
        if (!isOperation(request, 'createProject') || !hasSession(request)) return false;
        count += 1;
        return count > 1 && jsonResponse(201, { id: `lost-${count}`, ...jsonObjectOf(request) });
      });
    },
    'the server stores each project after its next list [PROJECT-4]': () => {
      let isPending = false;
      return async (request, next) => {
        const response = await next(request);
        if (isOperation(request, 'createProject')) isPending = response.status === 201;
        if (!isOperation(request, 'listProjects') || !isPending) return response;
        isPending = false;
        return response.status === 200
          ? withJson(response, projectsOf(response).slice(0, -1))
          : response;
      };
    },
    'the server stores one of eight projects 0.3 s after its response [PROJECT-4]': (clock) => {
      const storedMs = new Map<unknown, number>();
      let count = 0;
      return interceptResponses((response, request) => {
        if (isOperation(request, 'createProject') && ++count % 8 === 0)
          storedMs.set(jsonObjectOf(response)['id'], clock.now() + 300);
        if (!isOperation(request, 'listProjects') || response.status !== 200) return false;
        const isStored = ({ id }: { id: unknown }) => (storedMs.get(id) ?? 0) <= clock.now();
        return withJson(response, projectsOf(response).filter(isStored));
      });
    },
    'project ids are reused [PROJECT-6]': () => {
      const ids = new Map<unknown, number>();
      return changeProjects((project) => {
        if (!ids.has(project.id)) ids.set(project.id, ids.size % 2);
        return { ...project, id: ids.get(project.id) };
      });
    },
    'project ids have a fraction [PROJECT-21]': () => {
      const ids = new Map<unknown, number>();
      return changeProjects((project) => {
        if (!ids.has(project.id)) ids.set(project.id, ids.size + 0.5);
        return { ...project, id: ids.get(project.id) };
      });
    },
    'the list has the projects of all users whose number begins alike [PROJECT-22]': () => {
      const numbers = new Map<string, number>();
      const owners = new Map<string, string>();
      const created: { owner: string; project: unknown }[] = [];
      return interceptResponses((response, request) => {
        if (isOperation(request, 'registerUser') && response.status === 201)
          numbers.set(emailOf(request), numbers.size + 1);
        if (isOperation(request, 'login') && response.status === 200)
          owners.set(newCookieOf(response, 'session')!, String(numbers.get(emailOf(request))));
        const owner = owners.get(sessionOf(request)) ?? '';
        if (isOperation(request, 'createProject') && response.status === 201)
          created.push({ owner, project: jsonObjectOf(response) });
        if (!isOperation(request, 'listProjects') || response.status !== 200) return false;
        const others = created.filter(
          (each) => each.owner !== owner && each.owner.startsWith(owner),
        );
        return withJson(response, [
          ...projectsOf(response),
          ...others.map(({ project }) => project),
        ]);
      });
    },
    'project ids are integers above Number.MAX_SAFE_INTEGER [PROJECT-17, PROJECT-6]': () => {
      const ids = new Map<string, bigint>();
      const toBigInt = (_: string, id: string) => {
        if (!ids.has(id)) ids.set(id, 9_007_199_254_740_992n + BigInt(ids.size));
        return `"id":${ids.get(id)}`;
      };
      return interceptResponses((response) =>
        withBody(response, String(response.body).replaceAll(/"id":"([^"]+)"/g, toBigInt)),
      );
    },
    'creating a project with the same text again returns the first project [PROJECT-6]': () => {
      const created = new Map<string, ProxyResponse>();
      return async (request, next) => {
        if (!isOperation(request, 'createProject')) return next(request);
        const key = `${sessionOf(request)} ${request.body}`;
        const response = created.get(key) ?? (await next(request));
        if (response.status === 201) created.set(key, response);
        return response;
      };
    },
    'the list has another order every time [PROJECT-5]': () => {
      let count = 0;
      return changeList((projects) => {
        const start = ++count % Math.max(1, projects.length);
        return [...projects.slice(start), ...projects.slice(0, start)];
      });
    },
    'every fourth list begins with another project [PROJECT-5]': () => {
      let count = 0;
      return changeList((projects) =>
        projects.length > 0 && ++count % 4 === 0 ? [...projects.slice(1), projects[0]] : projects,
      );
    },
    'every third list of more than 100 projects lacks one [PROJECT-9]': () => {
      let count = 0;
      return changeList((projects) =>
        projects.length > 100 && ++count % 3 === 0 ? projects.slice(0, -1) : projects,
      );
    },
    'project ids are strings in createProject responses and numbers in the list [PROJECT-7]':
      () => {
        const ids = new Map<unknown, number>();
        const numberOf = (id: unknown) => {
          ids.set(id, ids.get(id) ?? ids.size + 1);
          return ids.get(id)!;
        };
        return (request, next) =>
          isOperation(request, 'listProjects')
            ? changeList((projects) =>
                projects.map((project) => ({ ...project, id: numberOf(project.id) })),
              )(request, next)
            : changeCreatedProject((project) => ({ ...project, id: String(numberOf(project.id)) }))(
                request,
                next,
              );
      },
    'project ids change with every list [PROJECT-7]': () => {
      let count = 0;
      return changeList((projects) =>
        projects.map((project) => ({ ...project, id: `${project.id}-${++count}` })),
      );
    },
    'projects belong to the session in place of the user [PROJECT-8]': () => {
      const created = new Set<string>();
      const keyOf = (request: ProxyRequest, id: unknown) => `${sessionOf(request)} ${String(id)}`;
      return interceptResponses((response, request) => {
        if (isOperation(request, 'createProject'))
          created.add(keyOf(request, jsonObjectOf(response)['id']));
        if (!isOperation(request, 'listProjects') || response.status !== 200) return false;
        const projects = projectsOf(response).filter(({ id }) => created.has(keyOf(request, id)));
        return withJson(response, projects);
      });
    },
    'every session acts as the user who signed in last [PROJECT-8]': () => {
      let lastHeaders: HeaderMap = {};
      return async (request, next) => {
        if (isProjectOperation(request) && hasSession(request))
          return next(withHeaders(request, lastHeaders));
        const response = await next(request);
        const pairs = setCookiesOf(response).map((line) => line.split(';')[0]!);
        const token = newCookieOf(response, 'XSRF-TOKEN');
        if (isOperation(request, 'login') && pairs.length > 1)
          lastHeaders = { cookie: pairs.join('; '), 'x-xsrf-token': token };
        return response;
      };
    },
    'a title of another user makes the server fail [PROJECT-23]': () => {
      const owners = new Map<unknown, string>();
      return interceptRequests((request) => {
        const { title } = jsonObjectOf(request);
        if (!isOperation(request, 'createProject') || !hasSession(request)) return false;
        const owner = owners.get(title) ?? sessionOf(request);
        owners.set(title, owner);
        return owner !== sessionOf(request) && errorResponse(500, 'Something went wrong.');
      });
    },
    'a list of more than 100 projects fails [PROJECT-9]': () =>
      interceptResponses(
        (response, request) =>
          isOperation(request, 'listProjects') &&
          response.status === 200 &&
          projectsOf(response).length > 100 &&
          errorResponse(500, 'Something went wrong.'),
      ),
    'one list of a user in ten fails [ERR-20]': () => {
      let count = 0;
      return interceptRequests((request) => {
        if (!isOperation(request, 'listProjects') || !hasSession(request)) return false;
        count += 1;
        return count % 10 === 0 && errorResponse(500, 'Something went wrong.');
      });
    },
    'a project with an emoji appears in the list a little later [PROJECT-4]': () => {
      let late = '';
      return interceptResponses((response, request) => {
        if (isOperation(request, 'createProject') && request.body.includes('🚀'))
          late = String(jsonObjectOf(response)['id']);
        if (!isOperation(request, 'listProjects') || response.status !== 200 || late === '')
          return false;
        const projects = projectsOf(response).filter(({ id }) => id !== late);
        late = '';
        return withJson(response, projects);
      });
    },
    'the server rejects one of two concurrent requests with the same XSRF token [PROJECT-10]': () =>
      respondToConcurrent('createProject', () => errorResponse(403, 'The token was used before.')),
    'the server loses one of two concurrently created projects [PROJECT-10, PROJECT-9]': () =>
      respondToConcurrent('createProject', (request) =>
        jsonResponse(201, { id: `lost-${Math.random()}`, ...jsonObjectOf(request) }),
      ),
    'each of two processes keeps projects of its own [PROJECT-10]': () => {
      const processes = new Map<unknown, number>();
      return interceptResponses((response, request) => {
        const process = request.connection % 2;
        if (isOperation(request, 'createProject') && response.status === 201)
          processes.set(jsonObjectOf(response)['id'], process);
        if (!isOperation(request, 'listProjects') || response.status !== 200) return false;
        const own = projectsOf(response).filter(({ id }) => processes.get(id) === process);
        return withJson(response, own);
      });
    },
    'concurrent listProjects requests receive the list of another user [PROJECT-11]': () => {
      let cookie: HeaderMap[string];
      return async (request, next) => {
        if (!isOperation(request, 'listProjects')) return next(request);
        ({ cookie } = request.headers);
        await untilQuiet();
        return next(withHeaders(request, { cookie }));
      };
    },
    'the server stores a project that it rejects [PROJECT-12]': () => async (request, next) => {
      const response = await next(request);
      const { title } = jsonObjectOf(request);
      const isBlank = typeof title === 'string' && title !== '' && title.trim() === '';
      return isOperation(request, 'createProject') && isBlank
        ? errorResponse(422, 'Title is required.')
        : response;
    },
    'the server stores a project that it rejects for its missing description [PROJECT-12]':
      () => async (request, next) => {
        const json = jsonObjectOf(request);
        if (!isOperation(request, 'createProject') || !json['title'] || 'description' in json)
          return next(request);
        await next({ ...request, body: JSON.stringify({ ...json, description: 'none' }) });
        return errorResponse(422, 'Description is required.');
      },
    'the fourth of several projects created at once gets the id of the third [PROJECT-10]': () => {
      let count = 0;
      let third: unknown;
      return async (request, next) => {
        if (!isOperation(request, 'createProject')) return next(request);
        count += 1;
        const place = count;
        await untilQuiet();
        const response = await next(request);
        count = 0;
        const project = jsonObjectOf(response);
        if (place === 3) third = project['id'];
        return place === 4 ? withJson(response, { ...project, id: third }) : response;
      };
    },
    'the server rejects a repeated Idempotency-Key [PROJECT-13]': () => {
      const keys = new Set<unknown>();
      return interceptRequests((request) => {
        const key = request.headers['idempotency-key'];
        if (!isOperation(request, 'createProject') || !key) return false;
        const isRepeated = keys.has(key);
        keys.add(key);
        return isRepeated && errorResponse(409, 'This was sent before.');
      });
    },
    'the server fails on one of two concurrent requests with the same Idempotency-Key [PROJECT-13]':
      () =>
        respondToConcurrent(
          'createProject',
          () => errorResponse(500, 'Something went wrong.'),
          (request) => String(request.headers['idempotency-key'] ?? Math.random()),
        ),
    'two concurrent requests with one Idempotency-Key create two projects [PROJECT-13]': () => {
      const waiting = new Set<unknown>();
      return async (request, next) => {
        const key = request.headers['idempotency-key'];
        if (!isOperation(request, 'createProject') || !key) return next(request);
        if (waiting.delete(key))
          return next(withHeaders(request, { 'idempotency-key': undefined }));
        waiting.add(key);
        await untilQuiet();
        waiting.delete(key);
        return next(request);
      };
    },
    'the server fails on a repeated Idempotency-Key [PROJECT-13]': () => {
      const keys = new Set<unknown>();
      return interceptRequests((request) => {
        const key = request.headers['idempotency-key'];
        if (!isOperation(request, 'createProject') || !key || !hasSession(request)) return false;
        const isRepeated = keys.has(key);
        keys.add(key);
        return isRepeated && errorResponse(500, 'Something went wrong.');
      });
    },
    'the server rejects an Idempotency-Key of more than 64 characters [PROJECT-13]': () =>
      interceptRequests(
        (request) =>
          String(request.headers['idempotency-key'] ?? '').length > 64 &&
          errorResponse(400, 'This key is too long.'),
      ),
    'the server rejects one of two concurrent requests with one Idempotency-Key [PROJECT-13]': () =>
      respondToConcurrent(
        'createProject',
        () => errorResponse(409, 'This request repeats the key of a different one.'),
        (request) => String(request.headers['idempotency-key'] ?? Math.random()),
      ),
    'an Idempotency-Key with another description returns the first project [PROJECT-19]': () =>
      repeatResponses(
        (request) => `${sessionOf(request)} ${String(jsonObjectOf(request)['title'])}`,
      ),
    'an Idempotency-Key with another text returns the first project [PROJECT-19]': () =>
      repeatResponses((request) => sessionOf(request)),
    'users share their Idempotency-Keys [PROJECT-20]': () =>
      repeatResponses((request) => request.body),
    "the server rejects another user's Idempotency-Key [PROJECT-13]": () => {
      const owners = new Map<unknown, string>();
      return interceptRequests((request) => {
        const key = request.headers['idempotency-key'];
        if (!isOperation(request, 'createProject') || !key || !hasSession(request)) return false;
        const owner = owners.get(key) ?? sessionOf(request);
        owners.set(key, owner);
        return owner !== sessionOf(request) && errorResponse(409, 'Please try again.');
      });
    },
    'the server repeats a refusal for its Idempotency-Key [PROJECT-13]': () => {
      const refusals = new Map<unknown, ProxyResponse>();
      return async (request, next) => {
        const key = request.headers['idempotency-key'];
        if (!isOperation(request, 'createProject') || !key) return next(request);
        const response = refusals.get(key) ?? (await next(request));
        if (response.status === 401) refusals.set(key, response);
        return response;
      };
    },
    'the response to a repeated Idempotency-Key has an id that no project has [PROJECT-13]': () => {
      const repeat = repeatResponses((request) => sessionOf(request) + request.body);
      const keys = new Set<unknown>();
      return async (request, next) => {
        const key = request.headers['idempotency-key'];
        const response = await repeat(request, next);
        if (!isOperation(request, 'createProject') || !key || response.status !== 201)
          return response;
        const isRepeated = keys.has(key);
        keys.add(key);
        return isRepeated
          ? withJson(response, { ...jsonObjectOf(response), id: 'another' })
          : response;
      };
    },
    'an Idempotency-Key with another text makes the server fail [PROJECT-19]': () => {
      const bodies = new Map<unknown, string>();
      return interceptRequests((request) => {
        const key = request.headers['idempotency-key'];
        if (!isOperation(request, 'createProject') || !key) return false;
        const body = bodies.get(key) ?? request.body;
        bodies.set(key, body);
        return body !== request.body && errorResponse(500, 'Something went wrong.');
      });
    },
    'the ETag of the list never changes [PROJECT-14]': () => async (request, next) => {
      const etag = '"constant"';
      if (!isOperation(request, 'listProjects')) return next(request);
      if (request.headers['if-none-match'] === etag)
        return { status: 304, headers: { etag }, body: '' };
      const response = await next(request);
      return response.status === 200 ? withHeaders(response, { etag }) : response;
    },
    'signed-out users see the projects of all users [PROJECT-15]': () => {
      const projects: unknown[] = [];
      return async (request, next) => {
        if (isOperation(request, 'listProjects') && !hasSession(request))
          return jsonResponse(200, projects);
        const response = await next(request);
        if (isOperation(request, 'createProject') && response.status === 201)
          projects.push(jsonObjectOf(response));
        return response;
      };
    },
    'createProject returns 201 to a signed-out user and stores nothing [ERR-3]': () =>
      changeResponses('createProject', 401, (_response, request) =>
        jsonResponse(201, { id: 'lost', ...jsonObjectOf(request) }),
      ),
  },
];

/** Stores any value in this field. The reference server stores a text in its place. */
function storeAnyValue(field: 'title' | 'description'): Middleware {
  const values = new Map<unknown, unknown>();
  const restore = changeProjects((project) =>
    values.has(project.id) ? { ...project, [field]: values.get(project.id) } : project,
  );
  return async (request, next) => {
    const json = jsonObjectOf(request);
    if (!isOperation(request, 'createProject') || typeof json[field] === 'string')
      return restore(request, next);
    const body = JSON.stringify({ ...json, [field]: 'a text in its place' });
    const response = await next({ ...request, body });
    values.set(jsonObjectOf(response)['id'], json[field]);
    return response;
  };
}

/** Responds to a repeated Idempotency-Key with the first response. */
function repeatResponses(scopeOf: (request: ProxyRequest) => string): Middleware {
  const responses = new Map<string, ProxyResponse>();
  return async (request, next) => {
    const idempotencyKey = request.headers['idempotency-key'];
    if (!isOperation(request, 'createProject') || !idempotencyKey) return next(request);
    const key = `${String(idempotencyKey)} ${scopeOf(request)}`;
    const response = responses.get(key) ?? (await next(request));
    if (response.status === 201) responses.set(key, response);
    return response;
  };
}
