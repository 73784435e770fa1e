import { beforeAll } from 'vitest';

// StrykerJS ignores a test file that cannot be loaded, and counts a rejected promise as an error.
void import('../../machines/auth.ts');
void import('../../machines/projects.ts');

// Loaded before the first test, or what a file executes once would count as tested.
beforeAll(async () => {
  if (globalThis.window) await import('../../src/boot/lazy-chunk.ts');
});
