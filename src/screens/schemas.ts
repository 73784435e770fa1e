import { email, minLength, object, refine, string, type ZodMiniType } from 'zod/mini';
import type { Credentials, NewProject } from '../../machines/types.ts';

const required = (field: string) => minLength(1, `${field} is required`);

/** What registering and signing in accept. A missing value says so first, and nothing else. */
export const credentials = object({
  email: string().check(required('Email'), email('Invalid email address')),
  password: string().check(
    required('Password'),
    // Characters, as the contract counts them: an emoji is one, and two UTF-16 units.
    refine((value) => Array.from(value).length >= 8, 'Password must be at least 8 characters'),
  ),
}) satisfies ZodMiniType<Credentials, Credentials>;

/** What creating a project accepts. Blanks are text, and there is no upper limit: limits are the backend's. */
export const newProject = object({
  title: string().check(required('Title')),
  description: string().check(required('Description')),
}) satisfies ZodMiniType<NewProject, NewProject>;
