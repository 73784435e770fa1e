/** The operations and examples of the contract, from `generated/contract.json`. */
import { readFileSync } from 'node:fs';
import { operationTable, type OperationId } from '../generated/operations.ts';
import { operationsOf, type ContractDocument } from '../shared/contract.ts';

const file = new URL('../generated/contract.json', import.meta.url);

export const operations = operationsOf(JSON.parse(readFileSync(file, 'utf8')) as ContractDocument);

export const paths = Object.fromEntries(
  Object.entries(operationTable).map(([id, { path }]) => [id, path]),
) as { [Id in OperationId]: string };

/** The named examples of responses. */
export const examples = operations.flatMap(({ id, responses }) =>
  responses.flatMap((response) =>
    response.examples.map(({ name, value }) => ({
      operationId: id,
      status: response.status,
      name,
      headers: Object.keys(response.headers).map((header) => header.toLowerCase()),
      body: value as { message?: string },
    })),
  ),
);
