/** What the stories need of a browser. Each engine implements it. */

export type PageOptions = {
  /** Of the viewport, without the browser's own controls. */
  width: number;
  height: number;
  look: Look;
};

/**
 * A colour scheme, with a kind of scroll bars: in the dark one they are classic, which take room
 * from the page, in the light one overlays. Each look is a browser of its own.
 */
export type Look = 'light' | 'dark';

export type Key = 'ArrowLeft' | 'ArrowRight' | 'End' | 'Enter' | 'Home' | 'Shift+Tab' | 'Tab';

export interface BrowserPage {
  /** Starts to load an address. */
  goto: (url: string) => Promise<void>;
  reload: () => Promise<void>;
  /** Resizes the viewport. */
  resize: (width: number, height: number) => Promise<void>;
  /** Runs a function in the page. Its argument and its result are JSON. */
  evaluate: <Result, Argument>(
    run: (argument: Argument) => Result,
    argument?: Argument,
  ) => Promise<Awaited<Result>>;
  /** Waits for an element and clicks it with the mouse. */
  click: (selector: string) => Promise<void>;
  /** Types into the focused element. */
  type: (text: string) => Promise<void>;
  press: (key: Key) => Promise<void>;
  /** Undoes the last edit of the focused field. */
  undo: () => Promise<void>;
  /** Turns the wheel of the mouse over the middle of the page. */
  wheel: (pixels: number) => Promise<void>;
}

export interface Engine {
  /** Returns the page of that look, empty and without cookies. */
  open: (options: PageOptions) => Promise<BrowserPage>;
  stop: () => Promise<void>;
}
