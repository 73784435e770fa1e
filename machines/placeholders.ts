/** Throws until `machine.provide` replaces the actor. */
export function notProvided({ self: { id } }: { self: { id: string } }): never {
  throw new Error(`The actor "${id}" is not provided: use machine.provide({ actors: { ${id} } }).`);
}
