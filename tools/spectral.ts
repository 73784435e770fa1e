/** Checks openapi.yaml against all rules of Spectral's `oas` and OWASP rulesets. */
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import spectralCore from '@stoplight/spectral-core';
import owaspRuleset from '@stoplight/spectral-owasp-ruleset';
import spectralParsers from '@stoplight/spectral-parsers';
import spectralRulesets from '@stoplight/spectral-rulesets';
import { contractPath } from './contract-source.ts';
import { root } from './run.ts';

/** The rules that the contract breaks, with the reason. */
const exceptions: Record<string, string> = {
  'info-contact': 'Each deployment has its own contact.',
  'owasp:api2:2023-write-restricted': 'login and registerUser are for visitors.',
  'owasp:api4:2023-rate-limit': 'The server announces a limit when it is reached: Retry-After.',
  'owasp:api4:2023-string-restricted': 'Texts of users and tokens may have any characters.',
  'owasp:api8:2023-define-cors-origin': 'The app has the origin of its backend: no CORS.',
  'owasp:api8:2023-define-error-responses-401': 'registerUser checks no credentials.',
};

/** Returns the problems of the contract at this path, and exceptions that it does not need. */
export async function spectralProblems(path = contractPath): Promise<string[]> {
  const { Document, Ruleset, Spectral } = spectralCore;
  const spectral = new Spectral();
  spectral.setRuleset(
    new Ruleset({
      extends: [
        [spectralRulesets.oas, 'all'],
        [owaspRuleset, 'all'],
      ],
    }),
  );
  const text = await readFile(path, 'utf8');
  const problems = await spectral.run(new Document(text, spectralParsers.Yaml, path));
  const broken = new Set(problems.map(({ code }) => code));
  return [
    ...problems
      .filter(({ code }) => !Object.hasOwn(exceptions, code))
      .map(({ code, message, range: { start } }) => {
        const place = `${relative(root, path)}:${start.line + 1}:${start.character + 1}`;
        return `${place}: ${message} (${code})`;
      }),
    ...Object.keys(exceptions)
      .filter((code) => !broken.has(code))
      .map((code) => `tools/spectral.ts excepts ${code}, which the contract keeps: delete it.`),
  ];
}
