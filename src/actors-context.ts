import { createContext, use } from 'react';
import type { Actors } from './actors.ts';

/** Around the layout and its screens. Returns nothing until the actors are loaded. */
export const ActorsContext = createContext<() => Actors | undefined>(() => undefined);

/** Returns the actors of the app. Throws in a component that is rendered before they are loaded. */
export function useActors(): Actors {
  const actors = use(ActorsContext)();
  if (!actors) throw new Error('A screen needs the app around it: render it through createApp.');
  return actors;
}
