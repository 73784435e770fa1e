import { cleanup, configure } from '@testing-library/react';
import { afterEach } from 'vitest';

// On a busy machine, a screen takes longer to render than the default of one second.
configure({ asyncUtilTimeout: 15_000 });

// jsdom does not implement scrolling and logs an error for each call.
window.scrollTo = () => {};

afterEach(() => {
  cleanup();
  for (const cookie of document.cookie.split('; ')) {
    document.cookie = `${cookie.split('=')[0]}=; expires=Thu, 01 Jan 1970 00:00:00 GMT; path=/`;
  }
});
