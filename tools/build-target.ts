/**
 * The oldest browsers that the app supports. Vite translates newer syntax of scripts and styles for
 * them. docs/browsers.md says how they were established.
 */
export const buildTarget = ['chrome111', 'edge111', 'firefox121', 'safari16.4', 'ios16.4'];
