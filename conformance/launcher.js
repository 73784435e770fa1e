// The command of the package. Old syntax only, so that an old Node prints a message and no stack.
const requiredMajor = 20;
if (Number(process.versions.node.split('.')[0]) < requiredMajor) {
  console.error(
    'tracker-conformance needs Node ' +
      requiredMajor +
      ' or newer, and this is Node ' +
      process.versions.node +
      '. Install it from https://nodejs.org, then run the command again.',
  );
  process.exitCode = 2;
} else {
  void import('./kit.js');
}
