import type { Credentials } from '../../machines/types.ts';
import type { forms } from '../../shared/forms.ts';
import { screens } from '../../shared/routes.ts';
import { ErrorBanner } from '../ui/banner.tsx';
import { SubmitButton } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { Heading } from '../ui/heading.tsx';
import { Stack } from '../ui/layout.tsx';
import { ShowPassword, useShownPassword } from '../ui/show-password.tsx';
import { credentialsSchema } from './schemas.ts';
import { useForm } from './use-form.ts';

type CredentialsFormProps = {
  form: (typeof forms)['login' | 'registerUser'];
  subtitle: string;
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
  const [isPasswordShown, togglePassword] = useShownPassword();
  const { route, button, fields } = props.form;
  const { heading } = screens[route];
  return (
    <Stack>
      <Heading subtitle={props.subtitle}>{heading}</Heading>
      <ErrorBanner message={props.errorMessage} busy={props.busy} />
      <Form label={heading} {...formProps}>
        <TextField
          label={fields.email}
          type="email"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          {...field('email')}
        />
        <TextField
          label={fields.password}
          type={isPasswordShown ? 'text' : 'password'}
          // A browser stores the text that was in a field for a reload, but not with `off`.
          autoComplete={isPasswordShown ? 'off' : props.password}
          autoCapitalize="none"
          // A browser may send a text to a service that checks its spelling.
          spellCheck={false}
          {...field('password')}
        />
        <SubmitButton busy={props.busy}>{button}</SubmitButton>
        <ShowPassword isShown={isPasswordShown} onToggle={togglePassword} />
      </Form>
    </Stack>
  );
}
