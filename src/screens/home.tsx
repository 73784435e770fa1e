import { Heading } from '../ui/layout.tsx';

export function HomeScreen() {
  return <Heading>Home</Heading>;
}
