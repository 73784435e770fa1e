// @module-tag chromium
import { startChromium } from './playwright.ts';
import { testStories } from './stories/all.ts';

testStories('Chromium', startChromium);
