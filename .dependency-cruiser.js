/** All rooms but those of tests and tools. */
const products =
  '(?!(server|conformance)/tests/)(generated|shared|machines|model|src|server|conformance)/';

const testFolders = [
  'browser',
  'commands',
  'engines',
  'model',
  'prerendering',
  'screens',
  'tools',
  'unit',
].map((name) => `tests/${name}/`);

/** The kit: each folder imports only from those before it. */
const kitFolders = ['package.json', 'http/', 'command/', 'problems/', 'people/', 'requests/']
  .concat(['checks/', 'report/', '[^/]+$'])
  .map((name) => `conformance/${name}`);

/**
 * openapi.yaml -> generated/, shared/ -> machines/ -> src/ (api, actors, screens, ui, boot)
 *                                     \-> server/  \-> model/ -> conformance/
 * all of these -> tools/ -> testing/ -> nightly/, tests/, server/tests/, conformance/tests/
 *                                      nightly/ -> tests/tools/
 *
 * Where a file is (a regular expression), and what such files may import besides each other: paths
 * of this project, and packages (without a list: any). Type imports and `import()` count.
 * Tests come last: no row above lists them.
 *
 * @type {[path: string, imports: string[], packages?: string[]][]}
 */
const rows = [
  ['generated/', [], []],
  ['shared/(usage-error|programs).ts', [], ['node:', 'playwright-core']],
  ['shared/(?!usage-error|programs)', [], []],

  ['machines/', ['generated/'], ['xstate']],

  ['src/api/', ['generated/', 'shared/path-templates.ts', 'machines/types.ts'], ['openapi-fetch']],
  ['src/session.ts', [], []],
  ['src/draft.ts', ['generated/operations.ts', 'machines/types.ts'], []],
  [
    'src/actors.ts',
    ['generated/', 'shared/field-rules.ts', 'machines/', 'src/(api/|session.ts|draft.ts)'],
    ['xstate'],
  ],
  ['src/actors-context.ts', ['src/actors.ts'], ['react']],
  ['src/styles/', [], ['@vanilla-extract/css']],
  [
    'src/ui/',
    ['src/styles/', 'generated/api.d.ts'],
    ['react', 'react-dom', '@vanilla-extract/css'],
  ],
  [
    'src/screens/',
    ['generated/operations.ts', 'shared/', 'src/(ui/|actors-context.ts|draft.ts)', 'machines/'],
    [
      'react',
      'react-dom',
      'react-hook-form',
      '@hookform',
      'zod',
      '@xstate/react',
      '@tanstack/react-router',
    ],
  ],
  [
    'src/boot/',
    ['shared/routes.ts', 'src/', 'generated/operations.ts', 'machines/types.ts'],
    ['react', 'react-dom', '@tanstack/react-router'],
  ],

  [
    'model/(?!headless-app|explored-app)',
    ['generated/', 'shared/', 'machines/', 'model/'],
    ['xstate', '@xstate', 'node:'],
  ],
  [
    'model/(headless-app|explored-app).ts',
    ['shared/', 'machines/', 'model/', 'src/(actors.ts|api/|draft.ts)'],
    ['xstate'],
  ],

  ['server/store/', ['generated/'], ['node:', 'pg', 'pg-connection-string']],
  [
    'server/auth/',
    ['generated/', 'shared/(emails|field-rules).ts', 'server/store/'],
    ['node:', 'ipaddr.js', 'p-limit'],
  ],
  [
    'server/http/',
    ['generated/', 'shared/', 'server/(auth/|store/)'],
    [
      'node:',
      'fastify',
      '@fastify',
      'ajv',
      'ajv-formats',
      'content-type',
      'helmet',
      'lru-cache',
      'mime',
      'p-limit',
      'pino-pretty',
    ],
  ],
  [
    'server/operations/',
    ['generated/', 'server/(dependencies.ts|http/|auth/(emails|refusal|throttle).ts)'],
    ['node:'],
  ],
  [
    'server/commands/',
    ['shared/', 'server/(auth/(emails|passwords|throttle).ts|http/log.ts|store/)'],
    ['node:'],
  ],
  [
    'server/[^/]+$',
    ['shared/', 'server/(?!tests/)'],
    ['node:', 'fastify', '@fastify', 'prom-client'],
  ],

  ...kitFolders.map((folder, index) => [
    folder,
    [
      'generated/',
      'shared/',
      'machines/',
      'model/(calls|requests).ts',
      'src/api/',
      ...kitFolders.slice(0, index),
    ],
  ]),
  ['conformance/examples/', [], ['node:']],

  ['tools/', [products]],
  ['testing/', [products, 'tools/']],
  ['[^/]+$', ['tools/', 'testing/']],
  ['nightly/', [products, 'tools/', 'testing/', 'vitest.config.ts']],
  ...['server/tests/', 'conformance/tests/', ...testFolders].map((folder) => [
    folder,
    [products, 'tools/', 'testing/', 'package.json'],
  ]),
  ['tests/tools/', ['nightly/']],
];

const ownFolders =
  /^(conformance|generated|machines|model|nightly|server|shared|src|testing|tests|tools)\//.source;

export default {
  allowed: rows.flatMap(([path, imports, packages]) => {
    const from = { path: `^${path}` };
    const names = packages
      ?.filter((name) => name !== 'node:')
      .map((name) => `node_modules/${name}/`);
    return [
      { from, to: { path: [path, ...imports, ...(names ?? [])].map((start) => `^${start}`) } },
      ...(packages ? [] : [{ from, to: { pathNot: ownFolders } }]),
      ...(packages?.includes('node:') ? [{ from, to: { dependencyTypes: ['core'] } }] : []),
    ];
  }),
  allowedSeverity: 'error',
  forbidden: [
    { name: 'no-cycle', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'prerendering-apart',
      comment: 'Tests that render on the server are in tests/prerendering/, which is isolated.',
      severity: 'error',
      from: { path: '^tests/(model|screens)/' },
      to: { path: 'node_modules/react-dom/server', reachable: true },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: '(^|/)node_modules/' },
    exclude: { path: '^(conformance/)?dist/|^tests/out/' },
  },
};
