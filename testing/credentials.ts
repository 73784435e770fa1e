import type { Credentials } from '../machines/types.ts';

/** Returns credentials that the rules of the contract allow. */
export const credentialsOf = (email = 'ada@example.org'): Credentials => ({
  email,
  password: 'correct horse',
});
