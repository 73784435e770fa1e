import { startFirefox } from './playwright.ts';
import { testStories } from './stories.ts';

testStories('Firefox', startFirefox);
