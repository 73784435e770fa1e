import { Heading } from '../ui/heading.tsx';
import { screens } from '../../shared/routes.ts';

export function AboutScreen() {
  return <Heading>{screens['/about'].heading}</Heading>;
}
