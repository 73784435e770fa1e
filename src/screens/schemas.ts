import { email, object, overwrite, refine, string, type ZodMiniType } from 'zod/mini';
import { bodyFields } from '../../generated/operations.ts';
import type { Credentials, NewProject } from '../../machines/types.ts';
import { emailPattern, toPunycode } from '../../shared/emails.ts';
import { errorOf, type FieldRule } from '../../shared/field-rules.ts';
import { forms } from '../../shared/forms.ts';

/** Validates a text as its row of the contract says. Only the first error is reported. */
const text = (rule: FieldRule, label: string) =>
  string().check(
    refine((value) => errorOf(rule, label, value) === undefined, {
      error: ({ input }) => errorOf(rule, label, String(input)),
      abort: true,
    }),
  );

/** Returns the schemas of the fields of a form, by their names. */
const fieldsOf = <Name extends string>(
  rules: Record<Name, FieldRule>,
  labels: Record<Name, string>,
) =>
  Object.fromEntries(
    Object.entries<string>(labels).map(([name, label]) => [name, text(rules[name as Name], label)]),
  ) as Record<Name, ReturnType<typeof text>>;

const credentials = fieldsOf(bodyFields.login, forms.login.fields);

/** Validates registration and sign-in. */
export const credentialsSchema = object({
  ...credentials,
  email: credentials.email.check(
    overwrite(toPunycode),
    // As browsers do in a field for emails.
    email({ pattern: emailPattern, error: 'Invalid email address' }),
  ),
}) satisfies ZodMiniType<Credentials, Credentials>;

export const newProjectSchema = object(
  fieldsOf(bodyFields.createProject, forms.createProject.fields),
) satisfies ZodMiniType<Required<NewProject>, Required<NewProject>>;
