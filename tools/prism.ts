import type { IHttpConfig } from '@stoplight/prism-http';

export const contractFile = 'openapi.yaml';

const mock: IHttpConfig = {
  isProxy: false,
  mock: { dynamic: false },
  checkSecurity: true,
  validateRequest: true,
  validateResponse: true,
  errors: false,
  upstreamProxy: undefined,
};

/** Starts Prism: by default a mock server that responds with the examples of the contract. */
export async function startPrism(
  config: IHttpConfig = mock,
): Promise<{ url: string; close: () => Promise<void> }> {
  // Imported here, because they take a second and builds do not need them.
  const { dereferencedContract } = await import('./contract.ts');
  await dereferencedContract(); // Prism would print a dump of a mistake.
  const [{ createLogger }, { getHttpOperationsFromSpec }, { createServer }] = await Promise.all([
    import('@stoplight/prism-core'),
    import('@stoplight/prism-http'),
    import('@stoplight/prism-http-server'),
  ]);
  const server = createServer(await getHttpOperationsFromSpec(contractFile), {
    cors: false,
    config,
    components: { logger: createLogger('prism', { level: 'silent' }) },
  });
  return { url: await server.listen(0, '127.0.0.1'), close: () => server.close() };
}
