import { Heading } from '../ui/stack.tsx';

export function HomeScreen() {
  return <Heading>Home</Heading>;
}
