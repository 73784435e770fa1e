import { projectFaults } from '../selftest/faults/projects.ts';
import { testFaults } from '../selftest/test-faults.ts';

testFaults(projectFaults);
