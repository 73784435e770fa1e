import { readdirSync } from 'node:fs';
import type { Contract, Operations } from './http/contract.ts';
import type { Dependencies } from './dependencies.ts';
import { UsageError } from '../shared/usage-error.ts';

/**
 * Returns the handler of each operation of the contract. `server/operations/login.ts` exports the
 * function `login`, which creates the handler of `login` from the dependencies, and its
 * `securityEvents`, if it has any. Throws a `UsageError` if a handler is missing or undeclared.
 */
export async function loadOperations(
  contract: Pick<Contract, 'operations'>,
  dependencies: Dependencies,
): Promise<Operations> {
  const folder = new URL('./operations/', import.meta.url);
  const declared = contract.operations.map(({ id }) => id);
  const loading = readdirSync(folder).map(async (file) => {
    const module = (await import(new URL(file, folder).href)) as Record<string, unknown>;
    return [file.replace('.ts', ''), module] as const;
  });
  const modules = new Map(await Promise.all(loading));
  const problems = [
    ...declared
      .filter((id) => typeof modules.get(id)?.[id] !== 'function')
      .map(
        (id) =>
          `The operation ${id} of openapi.yaml has no handler: ` +
          `write server/operations/${id}.ts, which exports the function ${id}.`,
      ),
    ...[...modules.keys()]
      .filter((id) => !declared.includes(id))
      .map((id) => `openapi.yaml does not declare the operation of server/operations/${id}.ts.`),
  ];
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
  const entries = declared.map((id) => {
    const { [id]: create, securityEvents } = modules.get(id)!;
    const execute = (create as (dependencies: Dependencies) => unknown)(dependencies);
    return [id, { execute, securityEvents }];
  });
  return Object.fromEntries(entries) as Operations;
}
