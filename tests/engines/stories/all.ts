/** What users do with the built app and the reference backend, in any engine. */
import { describe } from 'vitest';
import type { Engine } from '../setting/page.ts';
import { useSetting } from '../setting/setting.ts';
import { testBasicCredentials } from './basic-credentials.ts';
import { testBrowserFunctionsInList } from './browser-functions-in-list.ts';
import { testColoursAndFieldErrors } from './colours-and-field-errors.ts';
import { testCreateProjects } from './create-projects.ts';
import { testEarlySubmitOnChangedPage } from './early-submit-on-changed-page.ts';
import { testKeyboard } from './keyboard.ts';
import { testLongList } from './long-list.ts';
import { testNarrowWindow } from './narrow-window.ts';
import { testPageChangedByExtension } from './page-changed-by-extension.ts';
import { testPlaceInList } from './place-in-list.ts';
import { testPrerenderedForm } from './prerendered-form.ts';
import { testPrerenderedProjects } from './prerendered-projects.ts';
import { testSubmitWithoutHandler } from './submit-without-handler.ts';
import { testTypedTextAfterReturn } from './typed-text-after-return.ts';
import { testUndoHistory } from './undo-history.ts';
import { testWritingDirection } from './writing-direction.ts';

const stories = [
  testCreateProjects,
  testBasicCredentials,
  testPageChangedByExtension,
  testTypedTextAfterReturn,
  testColoursAndFieldErrors,
  testNarrowWindow,
  testKeyboard,
  testPrerenderedForm,
  testUndoHistory,
  testEarlySubmitOnChangedPage,
  testSubmitWithoutHandler,
  testPrerenderedProjects,
  testLongList,
  testPlaceInList,
  testBrowserFunctionsInList,
  testWritingDirection,
];

export function testStories(name: string, startEngine: () => Promise<Engine>) {
  describe(`in ${name}`, () => {
    const setting = useSetting(name, startEngine);
    for (const testStory of stories) testStory(setting);
  });
}
