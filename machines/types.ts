import type { components } from '../generated/api.d.ts';

type Schemas = components['schemas'];

export type Credentials = Schemas['Credentials'];
export type NewProject = Schemas['NewProject'];
export type Project = Schemas['Project'];
export type User = Schemas['User'];

/**
 * How a call ended, when it ended in a way that the specification foresees: `value` from a 2xx answer, or the `message` to
 * show when the request failed. Whatever else happens is an exception and has no message.
 */
export type Outcome<Value> = { ok: true; value: Value } | { ok: false; message: string };
