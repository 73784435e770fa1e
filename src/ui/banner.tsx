import { useState } from 'react';
import * as css from './banner.css.ts';

/**
 * The red banner: what went wrong, read out at once. Nothing while there is no message. One that stays while `busy` is read out
 * again when the next answer says the same, so it is a new element then.
 */
export function ErrorBanner({
  message,
  busy = false,
}: {
  message: string | undefined;
  busy?: boolean;
}) {
  const [last, setLast] = useState({ busy, answers: 0 });
  if (last.busy !== busy) setLast({ busy, answers: last.answers + (busy ? 0 : 1) });
  if (message === undefined) return null;
  return (
    <p key={last.answers} role="alert" className={css.banner} dir="auto">
      {message}
    </p>
  );
}
