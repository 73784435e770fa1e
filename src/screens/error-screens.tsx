import { useEffect } from 'react';
import { ErrorBanner } from '../ui/banner.tsx';
import { ErrorPage } from '../ui/error-page.tsx';
import { Heading } from '../ui/heading.tsx';
import { Stack } from '../ui/layout.tsx';
import { Link } from './layout.tsx';
import { errorTitle } from '../../shared/routes.ts';

const homeLink = (
  <Link variant="inline" to="/">
    Go to the start page
  </Link>
);

export function NotFoundScreen() {
  return <ErrorPage title={errorTitle} message="404 Not Found" homeLink={homeLink} />;
}

/** The screen of an error thrown while rendering or loading. Builds do not show the stack. */
export function ErrorScreen({ error }: { error: unknown }) {
  const isError = error instanceof Error;
  return (
    <ErrorPage
      title={errorTitle}
      message={isError ? error.message : String(error)}
      stack={import.meta.env.DEV && isError ? error.stack : undefined}
      homeLink={homeLink}
    />
  );
}

type LoadErrorScreenProps = { title: string; message: string; attempt: number | undefined };

/** The screen, in the layout, of a lazy screen whose chunk is missing. */
export function LoadErrorScreen({ title, message, attempt }: LoadErrorScreenProps) {
  useEffect(() => focusHeading, []);
  return (
    <Stack>
      <Heading>{title}</Heading>
      {/* A new element for each attempt of the user, so that screen readers announce it again. */}
      <ErrorBanner key={attempt} message={message} />
    </Stack>
  );
}

/** Focuses the heading of the next screen, unless the user has moved the focus elsewhere. */
function focusHeading() {
  if (document.activeElement?.matches('body, [aria-current]')) {
    document.querySelector('h1')?.focus();
  }
}
