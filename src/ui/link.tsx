import type { ComponentPropsWithRef, ReactNode } from 'react';
import * as css from './link.css.ts';

const variants = { nav: css.nav, outlined: css.outlined, filled: css.filled, inline: css.inline };

type LinkProps = { variant: keyof typeof variants } & Omit<ComponentPropsWithRef<'a'>, 'className'>;

/** Links that stay side by side, at the end of their line. */
export const LinkGroup = ({ children }: { children: ReactNode }) => (
  <span className={css.linkGroup}>{children}</span>
);

/** A link. The variants `outlined` and `filled` look like buttons. */
export function StyledLink({ variant, children, ...props }: LinkProps) {
  return (
    <a {...props} className={variants[variant]}>
      {children}
    </a>
  );
}
