// Adds no style sheets to the page, which would make each query by role slower.
import '@vanilla-extract/css/disableRuntimeStyles';
import { cleanup, configure } from '@testing-library/react';
import { afterEach, vi } from 'vitest';
import { maxWaitMs } from './time-limits.ts';

configure({ asyncUtilTimeout: maxWaitMs });

afterEach(() => {
  vi.restoreAllMocks();
  cleanup();
  localStorage.clear();
  sessionStorage.clear();
  for (const cookie of document.cookie.split('; ')) {
    document.cookie = `${cookie.split('=')[0]}=; expires=Thu, 01 Jan 1970 00:00:00 GMT; path=/`;
  }
});
