/** Returns an actor implementation that throws until `machine.provide` replaces it. */
export function notProvided(operationId: string) {
  return (): never => {
    throw new Error(
      `The actor "${operationId}" is not provided: use machine.provide({ actors: { ${operationId} } }).`,
    );
  };
}
