import { createContext, use } from 'react';
import type { Actors } from './actors.ts';

export const AppContext = createContext<Actors | undefined>(undefined);

/** The actors of the app around this component. Throws where there is none. */
export function useApp(): Actors {
  const actors = use(AppContext);
  if (!actors) throw new Error('A screen needs the app around it: render it through createApp.');
  return actors;
}
