import { sequenceFaults } from '../selftest/faults/sequences.ts';
import { testFaults } from '../selftest/test-faults.ts';

testFaults(sequenceFaults);
