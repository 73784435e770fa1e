import { bundle, createConfig } from '@redocly/openapi-core';
import { root } from './run.ts';

/** A node of a YAML document that has keys. */
export type YamlNode = { [key: string]: unknown };

/** Returns openapi.yaml, or the contract at this path, with every `$ref` replaced by its target. */
export async function dereferencedContract(path = `${root}openapi.yaml`): Promise<YamlNode> {
  const config = await createConfig({});
  const { bundle: document, problems } = await bundle({ ref: path, config, dereference: true });
  if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join('\n'));
  return document.parsed as YamlNode;
}
