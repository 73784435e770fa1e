import { cookieFaults } from '../selftest/faults/cookies.ts';
import { testFaults } from '../selftest/test-faults.ts';

testFaults(cookieFaults);
