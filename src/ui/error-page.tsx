import type { ReactNode } from 'react';
import * as css from './error-page.css.ts';

/** The one screen for what should not happen: its title, what is known, and a way out. */
export function ErrorPage({
  title,
  message,
  stack,
  wayOut: homeLink,
}: {
  title: string;
  message: string;
  stack?: string | undefined;
  wayOut: ReactNode;
}) {
  return (
    <main className={css.failure}>
      <h1 tabIndex={-1}>{title}</h1>
      <p className={css.message}>{message}</p>
      {stack !== undefined && <pre className={css.stack}>{stack}</pre>}
      <p>{homeLink}</p>
    </main>
  );
}
