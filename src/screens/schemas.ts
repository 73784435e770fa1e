import { email, minLength, object, overwrite, refine, string, type ZodMiniType } from 'zod/mini';
import { emailPattern, toPunycode } from '../../shared/emails.ts';
import type { Credentials, NewProject } from '../../machines/types.ts';

const required = (field: string) => minLength(1, `${field} is required`);

/** Validates registration and sign-in. A missing value is reported first, and as nothing else. */
export const credentialsSchema = object({
  email: string().check(
    required('Email'),
    overwrite(toPunycode),
    // As browsers do in a field for emails.
    email({ pattern: emailPattern, error: 'Invalid email address' }),
  ),
  password: string().check(
    required('Password'),
    // Counts code points, as the contract does: an emoji is one character. An accent that a device
    // types as a character of its own counts with its letter, as in the backend.
    refine(
      (value) => Array.from(value.normalize()).length >= 8,
      'Password must be at least 8 characters',
    ),
  ),
}) satisfies ZodMiniType<Credentials, Credentials>;

/** Validates a new project. Blanks are valid. There are no maximums, which the backend decides. */
export const newProjectSchema = object({
  title: string().check(required('Title')),
  description: string().check(required('Description')),
}) satisfies ZodMiniType<Required<NewProject>, Required<NewProject>>;
