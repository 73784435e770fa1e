import type { components } from '../generated/api.d.ts';

type Schemas = components['schemas'];

export type Credentials = Schemas['Credentials'];
export type NewProject = Schemas['NewProject'];
export type Project = Schemas['Project'];
export type User = Schemas['User'];

/**
 * How a call ended, for the endings that the specification describes: the `value` of a 2xx
 * response, or the `message` of a failed request. Everything else is an exception and has no
 * message.
 */
export type Outcome<Value> = { ok: true; value: Value } | { ok: false; message: string };
