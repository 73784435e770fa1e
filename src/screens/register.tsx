import { useSelector } from '@xstate/react';
import { isRegistering } from '../../machines/auth.ts';
import { useActors } from '../actors-context.ts';
import { CredentialsForm } from './credentials-form.tsx';
import { forms } from '../../shared/forms.ts';

export function RegisterScreen() {
  const { auth } = useActors();
  const busy = useSelector(auth, isRegistering);

  return (
    <CredentialsForm
      form={forms.registerUser}
      subtitle="Enter your email and password to register"
      password="new-password"
      busy={busy}
      onSubmit={(credentials) => auth.send({ type: 'registerUser', credentials })}
    />
  );
}
