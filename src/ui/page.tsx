import type { ReactNode } from 'react';
import * as css from './page.css.ts';

type PageProps = {
  navigation: ReactNode;
  footer: ReactNode;
  /** The content has a new `main` for each of them. */
  contentKey: string | undefined;
  children: ReactNode;
};

/**
 * Header, content and footer. Without a new `main`, Orca in Firefox does not read the heading of a
 * screen that follows a form: it has moved there silently when the form was removed.
 */
export function Page({ navigation, footer, contentKey, children }: PageProps) {
  return (
    <div className={css.page}>
      <header className={css.header}>
        <span className={css.brand}>
          <Logo />
          Brand
        </span>
        <nav className={css.navigation} aria-label="Main">
          {navigation}
        </nav>
      </header>
      <main key={contentKey} className={css.main}>
        {children}
      </main>
      <footer className={css.footer}>{footer}</footer>
    </div>
  );
}

/** The second layout: an empty navigation area above the content. */
export function PlainPage({ children }: { children: ReactNode }) {
  return (
    <div className={css.page}>
      <nav className={css.header} aria-label="Main" />
      <main className={css.main}>{children}</main>
    </div>
  );
}

function Logo() {
  return (
    <svg className={css.logo} viewBox="0 0 24 24" aria-hidden="true" fill="currentColor">
      <path d="M11 3h2v18h-2z" />
      <circle cx="12" cy="4" r="2.75" />
      <circle cx="12" cy="12" r="2.75" />
      <circle cx="12" cy="20" r="2.75" />
    </svg>
  );
}
