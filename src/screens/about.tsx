import { Heading } from '../ui/stack.tsx';

export function AboutScreen() {
  return <Heading>About Page</Heading>;
}
