import { Heading } from '../ui/heading.tsx';
import { screens } from './table.ts';

export function HomeScreen() {
  return <Heading>{screens['/'].heading}</Heading>;
}
