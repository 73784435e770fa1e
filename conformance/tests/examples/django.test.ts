import { optionalSoftware } from '../../../tools/optional-software.ts';
import { testExamples } from './test-examples.ts';

testExamples(optionalSoftware.django);
