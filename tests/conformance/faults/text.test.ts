import { textFaults } from '../selftest/faults/text.ts';
import { testFaults } from '../selftest/test-faults.ts';

testFaults(textFaults);
