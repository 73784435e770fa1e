/** Builds the app for the tests, unless the present build was made from the present sources. */
import { createHash } from 'node:crypto';
import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { root, runCommand, toolCommand } from './run.ts';

/** The app on a simulated clock, which the generated paths control in a browser. */
export const modelAppFolder = 'tests/out/model-app';
const modelAppRoot = 'tests/app/model/processes/page';

/** The app with the development build of React, which reports hydration mismatches. */
export const developmentAppFolder = 'tests/out/development-app';

/** Everything that a build depends on. */
const sources = [
  'generated',
  'machines',
  'model',
  'src',
  'tools',
  modelAppRoot,
  'index.html',
  'package-lock.json',
  'tsconfig.json',
  'vite.config.ts',
];

const builds = [
  { folder: 'dist', nodeEnv: 'production', command: ['build'] },
  {
    folder: developmentAppFolder,
    nodeEnv: 'development',
    command: ['build', '--mode=development', '--emptyOutDir', `--outDir=${developmentAppFolder}`],
  },
  {
    folder: modelAppFolder,
    nodeEnv: 'production',
    command: [
      'build',
      modelAppRoot,
      '--config=vite.config.ts',
      '--emptyOutDir',
      `--outDir=${root}${modelAppFolder}`,
    ],
  },
];

const timeoutSeconds = 900;

/** Name of the file in a build that holds the hash of its sources. */
const hashFile = '.sources';

/** Writes the build of React and the hash of the sources into each build. */
export function recordSources(): Plugin {
  let hash = '';
  return {
    name: 'record-sources',
    apply: 'build',
    configResolved() {
      hash = `${process.env['NODE_ENV']} ${hashSources()}`;
    },
    writeBundle({ dir = '' }) {
      writeFileSync(join(dir, hashFile), hash);
    },
  };
}

/** Builds what is stale. Returns the lines of output if a build fails. */
export async function buildStaleApps(): Promise<string[]> {
  const hash = hashSources();
  const stale = builds.filter(({ folder, nodeEnv }) => readHash(folder) !== `${nodeEnv} ${hash}`);
  const outputs = stale.map(({ nodeEnv, command }) =>
    // Vitest sets it to "test".
    runCommand(toolCommand('vite/bin/vite.js', ...command), timeoutSeconds, { NODE_ENV: nodeEnv }),
  );
  return (await Promise.all(outputs)).flat();
}

function readHash(folder: string): string | undefined {
  try {
    return readFileSync(join(root, folder, hashFile), 'utf8');
  } catch {
    return undefined;
  }
}

/** Returns a hash of the names and the content of all sources. */
export function hashSources(folder = root): string {
  const hash = createHash('sha256');
  const patterns = sources.flatMap((path) => [path, `${path}/**`]);
  for (const path of globSync(patterns, { cwd: folder }).toSorted()) {
    const file = join(folder, path);
    if (statSync(file).isFile()) hash.update(`${path}\0`).update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}
