/**
 * The oldest versions of browsers that the app supports, by the names of the compatibility data of
 * MDN. docs/browsers.md says how they were established.
 */
export const browserRange = {
  chrome: 111,
  chrome_android: 111,
  edge: 111,
  firefox: 121,
  firefox_android: 121,
  safari: 16.4,
  safari_ios: 16.4,
};

/** The range for Vite, which translates newer syntax of scripts and styles. */
export const buildTarget = Object.entries({
  chrome: browserRange.chrome,
  edge: browserRange.edge,
  firefox: browserRange.firefox,
  safari: browserRange.safari,
  ios: browserRange.safari_ios,
}).map(([name, version]) => `${name}${version}`);
