import { startWebKit } from './webkit.ts';
import { testStories } from './stories.ts';

testStories('WebKit', startWebKit);
