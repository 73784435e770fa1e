import {
  login,
  register,
  list,
  creating,
  isCall,
  fault,
  replies,
  refusals,
  withJson,
  jsonOf,
  page,
  json,
  emailOf,
  type Fault,
} from '../fault-builders.ts';

/** What is wrong with refusals. */
export const errorFaults: Fault[] = [
  fault(
    'refusals have "detail" in place of "message"',
    ['ERR-1', 'ERR-2', 'ERR-3'],
    refusals((reply, message) => withJson(reply, { detail: message })),
  ),
  fault(
    'refusals have their message inside "error"',
    ['ERR-1', 'ERR-2', 'ERR-3'],
    refusals((reply, message) => withJson(reply, { error: { message } })),
  ),
  fault(
    'refusals have an empty message',
    ['ERR-1', 'ERR-3'],
    refusals((reply) => withJson(reply, { message: '' })),
  ),
  fault(
    'refusals have a message that is an array',
    ['ERR-1', 'ERR-3'],
    refusals((reply, message) => withJson(reply, { message: [message] })),
  ),
  fault(
    'refusals have no body',
    ['ERR-1', 'ERR-3'],
    refusals((reply) => ({ ...reply, body: '' })),
  ),
  fault(
    'refusals are pages',
    ['ERR-1', 'REACH-2'],
    refusals((reply) => page(reply.status, 'Refused')),
  ),
  fault(
    "401 brings up the browser's own sign-in",
    'ERR-23',
    refusals((reply) => ({
      ...reply,
      headers: { ...reply.headers, 'www-authenticate': 'Basic realm="tracker"' },
    })),
  ),
  fault(
    'messages have markup in them',
    'ERR-22',
    refusals((reply, message) =>
      json(reply.status, { message: `<p class="error">${message}</p>` }),
    ),
  ),
  fault(
    'refusals are plain text',
    ['ERR-1', 'REACH-2'],
    refusals((reply, message) => ({
      ...reply,
      headers: { 'content-type': 'text/plain' },
      body: message,
    })),
  ),
  fault('who is not signed in is redirected to a page', 'REACH-3', () => ({
    request: (incoming) => (incoming.path === '/login' ? page(200, 'Please sign in') : undefined),
    reply: (reply, incoming) =>
      reply.status === 401 && isCall(incoming, list, creating)
        ? { status: 302, headers: { location: '/login' }, body: '' }
        : undefined,
  })),
  fault(
    'an email that is taken is refused without a message',
    'ERR-5',
    replies([register], (reply) =>
      reply.status === 409 ? withJson(reply, { code: 'EMAIL_TAKEN' }) : undefined,
    ),
  ),
  fault('an email that is no address gives a 500', 'ERR-6', () => ({
    request: (incoming) =>
      isCall(incoming, register) && !emailOf(incoming).includes('@')
        ? json(500, { message: 'Something went wrong.' })
        : undefined,
  })),
  fault('broken JSON gives a 500', 'ERR-13', () => ({
    request: (incoming) =>
      incoming.body !== '' &&
      jsonOf(incoming.body) === undefined &&
      String(incoming.headers['content-type']).includes('json')
        ? json(500, { message: 'Something went wrong.' })
        : undefined,
  })),
  fault('a list in place of an object gives a 500', 'ERR-14', () => ({
    request: (incoming) =>
      isCall(incoming, login) && incoming.body === '[]'
        ? json(500, { message: 'Something went wrong.' })
        : undefined,
  })),
  fault('a form in place of JSON is refused with a page', 'ERR-15', () => ({
    request: (incoming) =>
      String(incoming.headers['content-type']).includes('form')
        ? page(415, 'Unsupported Media Type')
        : undefined,
  })),
  fault('a project without a title gives a 500', 'ERR-10', () => ({
    request: (incoming) =>
      isCall(incoming, creating) &&
      incoming.body !== '' &&
      jsonOf(incoming.body)?.['title'] === undefined
        ? json(500, { message: 'Something went wrong.' })
        : undefined,
  })),
  fault('a large body ends the connection', 'ERR-16', () => ({
    request: (incoming) =>
      incoming.body.length > 1_500_000
        ? { ...json(413, {}), write: (response) => response.destroy() }
        : undefined,
  })),
  fault('a wrong method is answered with 200', 'ERR-18', () => ({
    request: (incoming) =>
      incoming.method === 'GET' && incoming.path.endsWith('login') ? json(200, {}) : undefined,
  })),
  fault("the app's page stands at every unknown address", ['REACH-4', 'ERR-17'], () => ({
    reply: (reply) => (reply.status === 404 ? page(200, 'Tracker App') : undefined),
  })),
  fault('creating with an emoji gives a 500 with a page', ['ERR-20', 'TEXT-2'], () => ({
    request: (incoming) =>
      isCall(incoming, creating) && /\p{Extended_Pictographic}/u.test(incoming.body)
        ? page(500, 'Internal Server Error')
        : undefined,
  })),
  fault('the list fails now and then', 'ERR-20', () => {
    let count = 0;
    return {
      request: (incoming) =>
        isCall(incoming, list) && ++count % 2 === 0
          ? json(500, { message: 'Something went wrong.' })
          : undefined,
    };
  }),
];
