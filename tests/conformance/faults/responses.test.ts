import { responseFaults } from '../selftest/faults/responses.ts';
import { testFaults } from '../selftest/test-faults.ts';

testFaults(responseFaults);
