import * as css from './banner.css.ts';

/** The red banner: what went wrong, read out at once. Nothing while there is no message. */
export function ErrorBanner({ message }: { message: string | undefined }) {
  if (message === undefined) return null;
  return (
    <p role="alert" className={css.banner} dir="auto">
      {message}
    </p>
  );
}
