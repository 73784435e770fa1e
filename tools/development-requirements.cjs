/** Loaded first by the commands that build or test, like requirements.cjs. */
const { existsSync, readdirSync } = require('node:fs');
const { exitWith, root } = require('./requirements.cjs');

if (!existsSync(`${root}node_modules/vite`)) {
  exitWith('The development dependencies are not installed: run "npm ci --include=dev".');
}
const binding = `binding-${process.platform}-${process.arch}`;
if (!readdirSync(`${root}node_modules/@rolldown`).some((name) => name.startsWith(binding))) {
  exitWith(
    'The optional dependencies for this system are not installed: run "npm ci --include=optional".',
  );
}

// Each command chooses it: a build is for production, whatever the terminal has.
delete process.env.NODE_ENV;
