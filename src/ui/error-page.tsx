import type { ReactNode } from 'react';
import * as css from './error-page.css.ts';

/** The one screen for what should not happen: its title, what is known, and a way out. */
export function Failure({
  title,
  message,
  stack,
  wayOut,
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
      <p>{wayOut}</p>
    </main>
  );
}
