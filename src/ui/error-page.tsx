import type { ReactNode } from 'react';
import * as css from './error-page.css.ts';

type ErrorPageProps = {
  title: string;
  message: string;
  stack?: string | undefined;
  homeLink: ReactNode;
};

/** The page for errors. Its link leads to a page that works. */
export function ErrorPage({ title, message, stack, homeLink }: ErrorPageProps) {
  return (
    <main className={css.errorPage}>
      <h1 tabIndex={-1}>{title}</h1>
      <p className={css.message}>{message}</p>
      {stack !== undefined && <pre className={css.stackTrace}>{stack}</pre>}
      <p>{homeLink}</p>
    </main>
  );
}
