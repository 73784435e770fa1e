import { startChromium } from './playwright.ts';
import { testStories } from './stories.ts';

testStories('Chromium', startChromium);
