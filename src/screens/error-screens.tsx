import { Failure } from '../ui/error-page.tsx';
import { Link } from './layout.tsx';

const title = 'Unexpected Application Error!';
const wayOut = (
  <Link look="inline" to="/">
    Go to the start page
  </Link>
);

/** For a path that no route has. */
export function NotFoundScreen() {
  return <Failure title={title} message="404 Not Found" wayOut={wayOut} />;
}

/** For whatever a screen threw. Its stack is for developers, so it stays out of what is built. */
export function ErrorScreen({ error }: { error: unknown }) {
  const known = error instanceof Error;
  return (
    <Failure
      title={title}
      message={known ? error.message : String(error)}
      stack={import.meta.env.DEV && known ? error.stack : undefined}
      wayOut={wayOut}
    />
  );
}
