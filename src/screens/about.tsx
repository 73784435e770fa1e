import { Heading } from '../ui/heading.tsx';
import { screens } from './routes.ts';

export function AboutScreen() {
  return <Heading>{screens['/about'].heading}</Heading>;
}
