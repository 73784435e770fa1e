import { useLayoutEffect } from 'react';
import { takeOver } from '../prerendered.ts';
import { ErrorPage } from '../ui/error-page.tsx';
import { Link } from './layout.tsx';

const title = 'Unexpected Application Error!';
const homeLink = (
  <Link variant="inline" to="/">
    Go to the start page
  </Link>
);

/** The screen of a path that no route matches. */
export function NotFoundScreen() {
  useLayoutEffect(takeOver, []);
  return <ErrorPage title={title} message="404 Not Found" homeLink={homeLink} />;
}

/** The screen of an error thrown while rendering or loading. Builds do not show the stack. */
export function ErrorScreen({ error }: { error: unknown }) {
  const isError = error instanceof Error;
  return (
    <ErrorPage
      title={title}
      message={isError ? error.message : String(error)}
      stack={import.meta.env.DEV && isError ? error.stack : undefined}
      homeLink={homeLink}
    />
  );
}
