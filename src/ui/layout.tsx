import type { ReactNode } from 'react';
import * as css from './layout.css.ts';

/** Things below one another; `narrow` is the width of a form whose answers are short. */
export function Stack({ narrow = false, children }: { narrow?: boolean; children: ReactNode }) {
  return <div className={narrow ? css.narrow : css.stack}>{children}</div>;
}

/** The heading of a screen. It takes the focus when the route changes. */
export function Heading({ subtitle, children }: { subtitle?: string; children: ReactNode }) {
  return (
    <div className={css.heading}>
      <h1 tabIndex={-1}>{children}</h1>
      {subtitle !== undefined && <p className={css.subtitle}>{subtitle}</p>}
    </div>
  );
}

/** Said by screen readers, once more each time that `times` grows, and seen by nobody. */
export function Announcement({ times: count, children }: { times: number; children: string }) {
  // The same text again is not read out again: every second time it ends in a space that is not heard.
  const text = count % 2 === 0 ? `${children}\u00a0` : children;
  return (
    <p role="status" className={css.announcement}>
      {count > 0 && text}
    </p>
  );
}
