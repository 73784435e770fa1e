import { leakFaults } from '../selftest/faults/leaks.ts';
import { testFaults } from '../selftest/test-faults.ts';

testFaults(leakFaults);
