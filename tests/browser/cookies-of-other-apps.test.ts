// @module-tag chromium
import { readFileSync } from 'node:fs';
import {
  createServer as createHttpServer,
  request as sendRequest,
  type RequestListener,
  type Server,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { heading, submitButton } from '../../testing/page-driver.ts';
import {
  fillCredentials,
  fillProject,
  openScreen,
  projectList,
  rowTitles,
  useBrowser,
  useServer,
} from '../../testing/browser.ts';
import { CookieClient } from '../../testing/cookie-client.ts';
import { operationTable } from '../../generated/operations.ts';
import { screens } from '../../shared/routes.ts';
import { newProject } from '../../testing/projects.ts';

// Names that resolve to this machine but are none of its own: on http, Chromium treats them as any
// other address. It sends them no Sec-Fetch-Site and stores no Secure cookies of theirs.
const parent = 'example.test';
const host = `tracker.${parent}`;
const browser = useBrowser({ args: ['--host-resolver-rules=MAP *.test 127.0.0.1'] });
const server = useServer();
const pem = readFileSync('testing/self-signed.pem');

type Scheme = 'http' | 'https';
const ports = { app: { http: '', https: '' }, other: { http: '', https: '' } };

/** An app that sets the cookies that its address names. */
const otherApp: RequestListener = ({ url = '' }, response) => {
  response.setHeader('set-cookie', new URL(url, 'http://x').searchParams.getAll('set'));
  response.end('another app');
};

/** A proxy that says https, also by mistake. */
const proxy: RequestListener = (incoming, response) => {
  const { method, url = '', headers } = incoming;
  const options = { method, headers: { ...headers, 'x-forwarded-proto': 'https' } };
  const outgoing = sendRequest(new URL(url, server.address), options, (answer) => {
    response.writeHead(answer.statusCode!, answer.headers);
    answer.pipe(response);
  });
  incoming.pipe(outgoing.on('error', () => response.destroy()));
};

beforeAll(async () => {
  const tls = { key: pem, cert: pem };
  const servers: [Server, (port: string) => void][] = [
    [createHttpServer(otherApp), (port) => (ports.other.http = port)],
    [createHttpsServer(tls, otherApp), (port) => (ports.other.https = port)],
    [createHttpServer(proxy), (port) => (ports.app.http = port)],
    [createHttpsServer(tls, proxy), (port) => (ports.app.https = port)],
  ];
  for (const [each, keepPort] of servers) {
    await new Promise<void>((listening) => each.listen(0, '127.0.0.1', listening));
    keepPort(String((each.address() as AddressInfo).port));
  }
  return () => servers.map(([each]) => (each.closeAllConnections(), each.close()));
});

const address = (scheme: Scheme) => `${scheme}://${host}:${ports.app[scheme]}`;

async function registerAccount() {
  const client = new CookieClient(server.address);
  await client.register();
  return client.credentials.email;
}

/** Signs in on the screen, and waits for the list. */
async function signIn(page: Page, origin: string, email: string) {
  await openScreen(page, origin, '/login');
  await fillCredentials(page, email);
  await submitButton(page, 'login').click();
  await heading(page, screens['/projects'].heading).waitFor();
  await projectList(page).getByText('No projects to show.').waitFor();
}

async function create(page: Page, title: string) {
  await fillProject(page, newProject({ title }));
  await submitButton(page, 'createProject').click();
  await rowTitles(page).getByText(title, { exact: true }).waitFor();
}

interface Planting {
  /** The host and the scheme of the app that sets the cookies. */
  by: { host: string; scheme?: Scheme };
  set: string[];
}

const ofParent = `Domain=${parent}; Path=/`;
const names = ['XSRF-TOKEN', 'session', 'tracker-session', '__Host-tracker-session'];
/** Without the names that only this app has. */
const otherNames = ['XSRF-TOKEN', 'session'];
const token = 'x'.repeat(43);

const plantings: [scheme: Scheme, name: string, planting: Planting][] = [
  [
    'http',
    'of the parent domain',
    { by: { host: parent }, set: names.map((name) => `${name}=${token}; ${ofParent}`) },
  ],
  [
    'http',
    'of the parent domain, HttpOnly and for longer paths, with odd values',
    {
      by: { host: parent },
      set: ['', '%', '"a b"', 'a=b', '%00', 'a,b', 'ü', 'x'.repeat(1000)].flatMap((value, i) =>
        names.map((name) => {
          const path = operationTable.listProjects.path.slice(1, 1 + i * 3);
          return `${name}=${value}; ${ofParent}${path}${i % 2 ? '; HttpOnly' : ''}`;
        }),
      ),
    },
  ],
  [
    'http',
    'of the parent domain on https',
    {
      by: { host: parent, scheme: 'https' },
      set: otherNames.map((name) => `${name}=${token}; ${ofParent}; Secure`),
    },
  ],
  [
    'http',
    'of another port',
    { by: { host }, set: otherNames.map((name) => `${name}=${token}; Path=/`) },
  ],
  [
    'https',
    'of the parent domain',
    { by: { host: parent }, set: names.map((name) => `${name}=${token}; ${ofParent}; Secure`) },
  ],
  [
    'https',
    'of another port, HttpOnly',
    { by: { host }, set: otherNames.map((name) => `${name}=${token}; Path=/; HttpOnly; Secure`) },
  ],
];

test.each(plantings)(
  'a user on %s creates projects with cookies %s, older and younger ones',
  async (scheme, _name, { by, set }) => {
    const { page } = await browser.open({ ignoreHTTPSErrors: true });
    const email = await registerAccount();
    const plant = () => {
      const from = `${by.scheme ?? scheme}://${by.host}:${ports.other[by.scheme ?? scheme]}`;
      return page.goto(`${from}/?${new URLSearchParams(set.map((line) => ['set', line]))}`);
    };
    await plant();
    await signIn(page, address(scheme), email);
    await create(page, 'first');
    await plant();
    await openScreen(page, address(scheme), '/projects');
    await create(page, 'second');
    expect(await rowTitles(page).allTextContents()).toEqual(['first', 'second']);
  },
);

test('a user who has signed in on https creates projects on http, and on https again', async () => {
  const { page } = await browser.open({ ignoreHTTPSErrors: true });
  const email = await registerAccount();
  await signIn(page, address('https'), email);
  await signIn(page, address('http'), email);
  await create(page, 'on http');
  await openScreen(page, address('https'), '/projects');
  await create(page, 'on https');
  expect(await rowTitles(page).allTextContents()).toEqual(['on http', 'on https']);
});
