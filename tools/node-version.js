// Loaded before anything else, so plain JavaScript: an older Node stops here with a sentence instead of a stack.
const needed = 24;
const [major] = process.versions.node.split('.');
if (Number(major) < needed) {
  console.error(
    `This project runs on Node ${needed} or newer, and this is Node ${process.versions.node}: install Node ${needed} from https://nodejs.org, then run the command again.`,
  );
  process.exit(1);
}
