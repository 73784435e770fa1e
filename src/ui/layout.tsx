import type { ReactNode } from 'react';
import * as css from './layout.css.ts';

/** Stacks its children vertically. */
export function Stack({ children }: { children: ReactNode }) {
  return <div className={css.stack}>{children}</div>;
}
