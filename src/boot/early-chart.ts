/**
 * The phases of the page until the app has hydrated it:
 *
 * - loading: the inline script shows the screen of the URL, and follows navigations.
 * - failed: the screen has an alert, because a chunk could not be loaded.
 * - frozen: the screen stays as the app renders it first, because React hydrates it. Only the form
 *   still changes, and a navigation waits.
 * - handed over: the inline script does nothing any more.
 *
 * docs/decisions/0013-prerendering.md says why it is a table.
 */

export type Action =
  | 'showScreen'
  | 'showScreenAgain'
  | 'discardText'
  | 'focusHeading'
  | 'importLazyChunk'
  | 'showLoadError'
  | 'hideLoadError'
  | 'setSubmitted'
  | 'freeze'
  | 'stopEvent'
  | 'handOver';

/** Events of the app, and of the browser. */
export type AppEvent = 'fail' | 'freeze' | 'handOver';
export type EarlyEvent = AppEvent | 'hashchange' | 'popstate' | 'submit' | 'userChange';

export type Phase = 'loading' | 'failed' | 'frozen' | 'handed over';

type Transition = { target?: Phase; actions: Action[] };

export const chart: Record<Phase, { [event in EarlyEvent]?: Transition }> = {
  loading: {
    hashchange: { actions: ['showScreen', 'focusHeading', 'importLazyChunk'] },
    userChange: { actions: ['showScreenAgain'] },
    submit: { actions: ['setSubmitted'] },
    fail: { target: 'failed', actions: ['showLoadError'] },
    freeze: { target: 'frozen', actions: ['freeze'] },
  },
  // The app requests the lazy chunk again.
  failed: {
    hashchange: { actions: ['showScreen', 'focusHeading', 'showLoadError'] },
    userChange: { actions: ['showScreenAgain', 'showLoadError'] },
    submit: { actions: ['showLoadError'] },
    freeze: { target: 'frozen', actions: ['hideLoadError', 'freeze'] },
  },
  // The app sends what is submitted, and its router follows the navigation.
  frozen: {
    popstate: { actions: ['stopEvent'] },
    // The app fetches the list again.
    userChange: { actions: ['discardText'] },
    submit: { actions: ['setSubmitted'] },
    handOver: { target: 'handed over', actions: ['handOver'] },
  },
  'handed over': {},
};
