/** Builds the app for the tests, unless it has built the present sources before. */
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, runProgram, toolCommand } from './run.ts';

/** The app with the development build of React, which reports hydration mismatches. */
export const developmentAppFolder = 'tests/out/development-app';

/** Everything that a build depends on. */
const sources = [
  'generated',
  'machines',
  'shared',
  'src',
  'tools',
  'index.html',
  'package-lock.json',
  'tsconfig.json',
  'vite.config.ts',
];

const builds = [
  { folder: 'dist', nodeEnv: 'production', options: [] },
  { folder: developmentAppFolder, nodeEnv: 'development', options: ['--mode=development'] },
];

const timeoutSeconds = 900;

/** Builds what is stale, and writes the hash of its sources beside it. Returns the problems. */
export async function buildStaleApps(): Promise<string[]> {
  const hash = hashSources();
  const problems = builds.map(async ({ folder, nodeEnv, options }) => {
    const hashFile = join(root, folder, '.sources');
    if (existsSync(hashFile) && readFileSync(hashFile, 'utf8') === hash) return [];
    rmSync(hashFile, { force: true });
    const outDir = [`--outDir=${join(root, folder)}`, '--emptyOutDir'];
    const command = toolCommand('vite/bin/vite.js', 'build', ...options, ...outDir);
    // Vitest sets it to "test".
    const lines = await runProgram(command, timeoutSeconds, { NODE_ENV: nodeEnv });
    if (lines.length === 0) writeFileSync(hashFile, hash);
    return lines;
  });
  return (await Promise.all(problems)).flat();
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
