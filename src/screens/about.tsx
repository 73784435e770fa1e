import { Heading } from '../ui/layout.tsx';

export function AboutScreen() {
  return <Heading>About Page</Heading>;
}
