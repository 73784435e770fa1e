import { Heading } from '../ui/heading.tsx';

export function HomeScreen() {
  return <Heading>Home</Heading>;
}
