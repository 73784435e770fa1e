import type { ComponentPropsWithRef } from 'react';
import * as css from './link.css.ts';

const looks = { nav: css.nav, outlined: css.outlined, filled: css.filled, inline: css.inline };

/** A link. `outlined` and `filled` look like buttons and are links all the same. */
export function Anchor({
  look,
  children,
  ...anchor
}: { look: keyof typeof looks } & Omit<ComponentPropsWithRef<'a'>, 'className'>) {
  return (
    <a {...anchor} className={looks[look]}>
      {children}
    </a>
  );
}
