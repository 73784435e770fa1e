import type { Driver, Observation } from '../../model/driver.ts';

/** The app on one page of a browser, as a person uses it. */
export type App = Pick<Driver, 'go' | 'submit'> & {
  /** Returns what the screen shows now. */
  observe: () => Promise<Screen>;
  /**
   * Waits until no call is pending. A real browser opens the screen `path` a while later. Returns
   * what the screen shows then.
   */
  settle: (path?: string) => Promise<Screen>;
  close: () => Promise<void>;
};

export type Screen = Pick<Observation, 'path' | 'form' | 'banners' | 'list'>;

/** A browser with its cookies. */
export type AppBrowser = {
  /** Opens the app on a new page. */
  open: () => Promise<App>;
};
