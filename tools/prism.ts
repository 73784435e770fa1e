import { join } from 'node:path';
import { startBackendProcess } from './backend-process.ts';
import { findFreePort } from './free-port.ts';
import { root, toolCommand } from './run.ts';

export const contractFile = 'openapi.yaml';

/**
 * Starts Prism, a mock server that responds with the examples of the contract in a folder. It has a
 * process of its own, because a request can make Prism throw or never return.
 */
export async function startPrism(folder = root, onCrash?: () => void) {
  // Imported here, because it takes a second and builds do not need it.
  const { dereferencedContract } = await import('./contract.ts');
  await dereferencedContract(join(folder, contractFile)); // Prism would print a dump of a mistake.
  const port = await findFreePort();
  const [, ...command] = toolCommand('@stoplight/prism-cli/dist/index.js', 'mock', contractFile);
  const backend = await startBackendProcess({
    name: 'The mock backend',
    args: [...command, `--port=${port}`, '--cors=false', '--multiprocess=false'],
    cwd: folder,
    ready: /Prism is listening/,
    isPrinted: false,
    // Prism ignores a request to stop while it never returns, and has nothing to finish.
    killSignal: 'SIGKILL',
    ...(onCrash && { onCrash }),
  });
  return { url: `http://127.0.0.1:${port}`, ...backend };
}
