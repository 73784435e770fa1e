/**
 * Loaded first by each command. Ends it with one sentence where it cannot work. CommonJS,
 * because Node imports no module from a folder with a backslash.
 */
const { join } = require('node:path');

const root = join(__dirname, '../');

function exitWith(sentence) {
  console.error(sentence);
  process.exit(1);
}

// Tools read these as parts of addresses, patterns or lists. npm does not find programs behind a
// colon.
const [character] = /[\p{Cc}!"#$%'*:;<>?[\\\]^`{|}]/u.exec(root) ?? [];
if (character) {
  exitWith(
    `The path of this folder has the character ${JSON.stringify(character)}, which the build cannot ` +
      `handle: rename or move ${root}`,
  );
}
if (root.includes('/node_modules/')) {
  exitWith(`The build cannot handle a folder in node_modules: move ${root}`);
}

const requiredMajor = 24;
const [major] = process.versions.node.split('.');
if (Number(major) < requiredMajor) {
  exitWith(
    `This project needs Node ${requiredMajor} or newer, and this is Node ${process.versions.node}. On ` +
      'Linux, "npm ci --include=optional" installs it for "npm run". Elsewhere, install it from ' +
      'https://nodejs.org.',
  );
}

// npm would install only the packages of the workspaces, and run their scripts.
if (process.env.npm_config_workspaces === 'true') {
  exitWith('Unset "workspaces" of npm (npm_config_workspaces or .npmrc), and run "npm ci".');
}

module.exports = { exitWith, root };
