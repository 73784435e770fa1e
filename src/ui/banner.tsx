import { useCallback, useLayoutEffect, useRef, useState } from 'react';
import * as css from './banner.css.ts';
import { useChange } from './use-change.ts';

type BannerProps = { message: string | undefined; busy?: boolean };

/**
 * The red banner, an alert. Renders nothing without a message. A message that stays while `busy`
 * gets a new element afterwards, so that screen readers announce it again. It is scrolled into view
 * if the user has not scrolled since the submit. Zoomed pages and phones on their side need that.
 */
export function ErrorBanner({ message, busy }: BannerProps) {
  const [responses, setResponses] = useState(0);
  useChange(busy, () => {
    if (!busy) setResponses(responses + 1);
  });
  const submitted = useRef<string>(undefined);
  useLayoutEffect(() => {
    if (busy) submitted.current = scrollPosition();
  }, [busy]);
  const showNew = useCallback((banner: HTMLElement | null) => {
    if (submitted.current === scrollPosition()) banner?.scrollIntoView({ block: 'nearest' });
  }, []);
  if (message === undefined) return null;
  return (
    <p key={responses} ref={showNew} role="alert" className={css.banner} dir="auto">
      {message}
    </p>
  );
}

const scrollPosition = () => `${scrollX} ${scrollY}`;
