// @module-tag django
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { requireSoftware } from '../../../tools/optional-software.ts';
import { startExample } from '../backends/examples.ts';
import { runKit, unmetChecks } from '../backends/run-kit.ts';

test('the example of Django meets every MUST and SHOULD', async () => {
  // The Python that has Django.
  const python = join(dirname(requireSoftware('django')), 'python3');
  const start = () => startExample(python, 'django/manage.py');
  expect(unmetChecks(await runKit(start))).toEqual([]);
});
