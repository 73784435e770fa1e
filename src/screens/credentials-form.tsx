import type { Credentials } from '../../machines/types.ts';
import { ErrorBanner } from '../ui/banner.tsx';
import { SubmitButton } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { Heading } from '../ui/heading.tsx';
import { Stack } from '../ui/layout.tsx';
import { credentialsSchema } from './schemas.ts';
import { useForm } from './use-form.ts';

type CredentialsFormProps = {
  heading: string;
  subtitle: string;
  button: string;
  /** The `autocomplete` of the password: whether a password manager generates or fills one. */
  password: 'new-password' | 'current-password';
  errorMessage?: string | undefined;
  /** What stands in the form at first. */
  email?: string | undefined;
  busy: boolean;
  onSubmit: (credentials: Credentials) => void;
};

/** The form of the screens for registration and sign-in. */
export function CredentialsForm(props: CredentialsFormProps) {
  const { formProps, field } = useForm(
    credentialsSchema,
    { email: props.email ?? '', password: '' },
    props.onSubmit,
  );
  return (
    <Stack narrow>
      <Heading subtitle={props.subtitle}>{props.heading}</Heading>
      <ErrorBanner message={props.errorMessage} busy={props.busy} />
      <Form label={props.heading} {...formProps}>
        <TextField
          label="Email"
          type="email"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          {...field('email')}
        />
        <TextField
          label="Password"
          type="password"
          autoComplete={props.password}
          {...field('password')}
        />
        <SubmitButton busy={props.busy}>{props.button}</SubmitButton>
      </Form>
    </Stack>
  );
}
