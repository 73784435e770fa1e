import { Heading } from '../ui/heading.tsx';

export function AboutScreen() {
  return <Heading>About Page</Heading>;
}
