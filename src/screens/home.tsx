import { Heading } from '../ui/heading.tsx';
import { screens } from '../../shared/routes.ts';

export function HomeScreen() {
  return <Heading>{screens['/'].heading}</Heading>;
}
