import { cleanup, configure } from '@testing-library/react';
import { afterEach } from 'vitest';

// A loaded machine takes longer than Testing Library's second to render a screen.
configure({ asyncUtilTimeout: 15_000 });

// jsdom has no scrolling, and says so on every call.
window.scrollTo = () => {};

afterEach(() => {
  cleanup();
  for (const cookie of document.cookie.split('; ')) {
    document.cookie = `${cookie.split('=')[0]}=; expires=Thu, 01 Jan 1970 00:00:00 GMT; path=/`;
  }
});
