import { expect, test } from 'vitest';
import { optionalSoftware, requireSoftware } from '../../../tools/optional-software.ts';
import { startExample } from '../backends/examples.ts';
import { runKit, unmetChecks } from '../backends/run-kit.ts';

test('the example of Django meets every MUST and SHOULD', async () => {
  const { program } = requireSoftware(optionalSoftware.django);
  const start = () => startExample(program, 'django/manage.py');
  expect(unmetChecks(await runKit(start))).toEqual([]);
});
