/** Loaded first by the commands that build or test, like requirements.cjs. */
const { accessSync, constants, existsSync, readdirSync, statSync } = require('node:fs');
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

for (const folder of [root, `${root}node_modules`, `${root}dist`].filter(existsSync)) {
  try {
    accessSync(folder, constants.W_OK);
  } catch {
    const { uid } = statSync(folder);
    exitWith(
      `You may not write to ${folder}, which belongs to the user with the id ${uid}: clone the ` +
        'project as yourself, or run this command as that user.',
    );
  }
}

// Each command chooses it: a build is for production, whatever the terminal has.
delete process.env.NODE_ENV;
