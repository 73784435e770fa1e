import { useSyncExternalStore } from 'react';

const minuteMs = 60_000;

function subscribe(onChange: () => void): () => void {
  const timer = setInterval(onChange, minuteMs);
  // The timers of a hidden or suspended page are late.
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
