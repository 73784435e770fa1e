// @module-tag firefox
import { startFirefox } from './playwright.ts';
import { testStories } from './stories/all.ts';

testStories('Firefox', startFirefox);
