import { Heading } from '../ui/heading.tsx';
import { screens } from './table.ts';

export function AboutScreen() {
  return <Heading>{screens['/about'].heading}</Heading>;
}
