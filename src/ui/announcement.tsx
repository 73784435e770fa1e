import { useEffect, useState } from 'react';
import { visuallyHidden } from '../styles/visually-hidden.css.ts';

/** Text for screen readers only. They announce it each time `count` grows. */
export function Announcement({ count, children }: { count: number; children: string }) {
  // Screen readers skip an unchanged text, so every second one ends in a no-break space.
  // Stryker disable next-line EqualityOperator: the first one or the second one.
  const text = count % 2 === 0 ? `${children}\u00a0` : children;
  return (
    <p role="status" className={visuallyHidden}>
      {count > 0 && text}
    </p>
  );
}

/** Firefox announces a text only if its empty element was in the page for a frame before. */
const delayMs = 500;

/** Text for screen readers only. They announce it when it has not changed for half a second. */
export function DelayedAnnouncement({ children }: { children: string }) {
  const [text, setText] = useState('');
  useEffect(() => {
    const timer = setTimeout(setText, delayMs, children);
    return () => clearTimeout(timer);
  }, [children]);
  return (
    <p aria-live="polite" className={visuallyHidden}>
      {text}
    </p>
  );
}
