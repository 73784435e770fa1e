// Loaded first, and plain JavaScript, so that an old Node prints this message and no stack.
const requiredMajor = 24;
const [major] = process.versions.node.split('.');
if (Number(major) < requiredMajor) {
  console.error(
    `This project needs Node ${requiredMajor} or newer, and this is Node ${process.versions.node}. ` +
      `Install Node ${requiredMajor} from https://nodejs.org, then run the command again.`,
  );
  process.exit(1);
}
