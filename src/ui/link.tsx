import type { ComponentPropsWithRef } from 'react';
import * as css from './link.css.ts';

const variants = { nav: css.nav, outlined: css.outlined, filled: css.filled, inline: css.inline };

/** A link. `outlined` and `filled` look like buttons and are links all the same. */
export function StyledLink({
  look: variant,
  children,
  ...anchor
}: { look: keyof typeof variants } & Omit<ComponentPropsWithRef<'a'>, 'className'>) {
  return (
    <a {...anchor} className={variants[variant]}>
      {children}
    </a>
  );
}
