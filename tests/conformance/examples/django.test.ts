import { runtimes } from '../../../tools/engines.ts';
import { testExamples } from './test-examples.ts';

testExamples(runtimes.django);
