import { readFileSync } from 'node:fs';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { parse } from 'yaml';
import type { Operation } from './http/simulated-browser.ts';

/** One answer that openapi.yaml describes. */
export type DocumentedResponse = { operation: Operation; status: number };

export type Contract = {
  responses: DocumentedResponse[];
  /** What the contract finds wrong with a body of this answer; nothing where it does not know the answer. */
  violations: (operation: Operation, status: number, body: unknown) => string[];
};

type Node = { [key: string]: unknown };

/** Reads openapi.yaml, which lies beside the kit's folder. */
export function readContract(): Contract {
  const document = parse(
    readFileSync(new URL('../openapi.yaml', import.meta.url), 'utf8'),
  ) as Node & { paths: Record<string, Record<string, Node>> };
  const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: true });
  ajvFormats.default(ajv);
  ajv.addSchema(document, 'contract');
  const checks = new Map<string, ValidateFunction | undefined>();
  const documented: DocumentedResponse[] = [];
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, described] of Object.entries(methods)) {
      const operation = described['operationId'] as Operation;
      for (const [status, response] of Object.entries(described['responses'] as Node)) {
        documented.push({ operation, status: Number(status) });
        const own = `#/paths/${path.replaceAll('/', '~1')}/${method}/responses/${status}`;
        const pointer = ((response as Node)['$ref'] as string | undefined) ?? own;
        const found = at(document, pointer) as Node;
        const schema = `contract${pointer}/content/application~1json/schema`;
        checks.set(
          `${operation} ${status}`,
          found['content'] ? ajv.compile({ $ref: schema }) : undefined,
        );
      }
    }
  }
  return {
    responses: documented,
    violations(operation, status, body) {
      const check = checks.get(`${operation} ${status}`);
      return !check || check(body) ? [] : (check.errors ?? []).map(inWords);
    },
  };
}

function at(document: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((node, key) => (node as Node)[key.replaceAll('~1', '/')], document);
}

function inWords({ instancePath, message = 'is not valid' }: ErrorObject): string {
  const where = instancePath.slice(1).replaceAll('/', '.');
  return `${where || 'the body'} ${message}`;
}
