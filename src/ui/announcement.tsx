import { visuallyHidden } from '../styles/visually-hidden.css.ts';

/** Text for screen readers only. They announce it each time `count` grows. */
export function Announcement({ count, children }: { count: number; children: string }) {
  // Screen readers skip an unchanged text, so every second one ends in a no-break space.
  const text = count % 2 === 0 ? `${children}\u00a0` : children;
  return (
    <p role="status" className={visuallyHidden}>
      {count > 0 && text}
    </p>
  );
}
