/** A parameter in a path of the contract, such as `{projectId}`. */
const parameter = /\{(\w+)\}/g;

export const parameterNames = (template: string): string[] =>
  Array.from(template.matchAll(parameter), ([, name = '']) => name);

/** Returns the template with each parameter replaced by `textOf` of its name. */
export const replaceParameters = (template: string, textOf: (name: string) => string): string =>
  template.replaceAll(parameter, (_, name: string) => textOf(name));

/** Returns a path. A parameter that is missing is empty. */
export const fillPath = (template: string, params: Readonly<Record<string, string>>): string =>
  replaceParameters(template, (name) => encodeURIComponent(params[name] ?? ''));

/** Returns an expression that matches the paths of a template. Its groups are the parameters. */
export const pathPattern = (template: string): RegExp =>
  new RegExp(`^${replaceParameters(template, (name) => `(?<${name}>[^/]+)`)}$`);
