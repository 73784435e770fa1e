import { useSyncExternalStore } from 'react';

const hourMs = 3_600_000;

function subscribe(onChange: () => void): () => void {
  const timer = setInterval(onChange, hourMs);
  // A hidden page may have no timers.
  document.addEventListener('visibilitychange', onChange);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', onChange);
  };
}

const currentYear = () => new Date().getFullYear();

/** Returns the current year, also after New Year. `prerendered` is that of the prerendered page. */
export const useYear = (prerendered = currentYear()): number =>
  useSyncExternalStore(subscribe, currentYear, () => prerendered);
