import type { ReactNode } from 'react';
import * as css from './layout.css.ts';

/** Stacks its children vertically. `narrow` limits the width to that of a form. */
export function Stack({ narrow, children }: { narrow?: boolean; children: ReactNode }) {
  return <div className={narrow ? css.narrowStack : css.stack}>{children}</div>;
}
