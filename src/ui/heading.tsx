import type { ReactNode } from 'react';
import * as css from './heading.css.ts';

/** The heading of a screen. The router focuses it when the path changes. */
export function Heading({ subtitle, children }: { subtitle?: string; children: ReactNode }) {
  return (
    <div className={css.headingGroup}>
      <h1 tabIndex={-1}>{children}</h1>
      {subtitle !== undefined && <p className={css.subtitle}>{subtitle}</p>}
    </div>
  );
}
