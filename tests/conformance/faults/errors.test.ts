import { errorFaults } from '../selftest/faults/errors.ts';
import { testFaults } from '../selftest/test-faults.ts';

testFaults(errorFaults);
