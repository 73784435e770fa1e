import { authFaults } from '../selftest/faults/auth.ts';
import { testFaults } from '../selftest/test-faults.ts';

testFaults(authFaults);
