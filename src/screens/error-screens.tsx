import { ErrorPage } from '../ui/error-page.tsx';
import { Link } from './layout.tsx';

const title = 'Unexpected Application Error!';
const homeLink = (
  <Link look="inline" to="/">
    Go to the start page
  </Link>
);

/** For a path that no route has. */
export function NotFoundScreen() {
  return <ErrorPage title={title} message="404 Not Found" wayOut={homeLink} />;
}

/** For whatever a screen threw. Its stack is for developers, so it stays out of what is built. */
export function ErrorScreen({ error }: { error: unknown }) {
  const known = error instanceof Error;
  return (
    <ErrorPage
      title={title}
      message={known ? error.message : String(error)}
      stack={import.meta.env.DEV && known ? error.stack : undefined}
      wayOut={homeLink}
    />
  );
}
