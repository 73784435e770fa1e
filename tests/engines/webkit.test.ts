// @module-tag webkit
import { startWebKit } from './webkit.ts';
import { testStories } from './stories/all.ts';

testStories('WebKit', startWebKit);
