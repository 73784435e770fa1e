import { createRequire } from 'node:module';
import { findFreePort } from './free-port.ts';

export const contractFile = 'openapi.yaml';

/**
 * Starts Prism: a mock server that responds with the examples of the contract or, with `upstream`,
 * a proxy that sends an error in place of a response that does not match the contract.
 */
export async function startPrism(
  upstream?: URL,
): Promise<{ url: string; close: () => Promise<void> }> {
  // Imported here, because they take a second and builds do not need them.
  const { dereferencedContract } = await import('./contract.ts');
  await dereferencedContract(); // Prism would print a dump of a mistake.
  const { createSingleProcessPrism } =
    await import('@stoplight/prism-cli/dist/util/createServer.js');
  silence();
  const port = await findFreePort();
  const server = await createSingleProcessPrism({
    document: contractFile,
    host: '127.0.0.1',
    port,
    cors: false,
    dynamic: false,
    multiprocess: false,
    errors: upstream !== undefined,
    ignoreExamples: false,
    seed: '',
    jsonSchemaFakerFillProperties: true,
    verboseLevel: 'silent',
    ...(upstream && { upstream, upstreamProxy: undefined, validateRequest: true }),
  });
  if (!server) throw new Error('Prism did not start.');
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

/** `verboseLevel` does not apply to the line that Prism prints at each start with Signale. */
function silence() {
  const requireFromPrism = createRequire(import.meta.resolve('@stoplight/prism-cli/package.json'));
  (requireFromPrism('signale') as { disable: () => void }).disable();
}
