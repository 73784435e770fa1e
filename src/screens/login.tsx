import { useSelector } from '@xstate/react';
import { useState } from 'react';
import { isLoggingIn } from '../../machines/auth.ts';
import { useActors } from '../actors-context.ts';
import { CredentialsForm } from './credentials-form.tsx';
import { forms } from '../../shared/forms.ts';

export function LoginScreen() {
  const { auth } = useActors();
  const busy = useSelector(auth, isLoggingIn);
  const errorMessage = useSelector(auth, (snapshot) => snapshot.context.loginErrorMessage);
  // Only a start: the user may change it.
  const [email] = useState(() => auth.getSnapshot().context.registeredEmail);

  return (
    <CredentialsForm
      form={forms.login}
      subtitle="Enter your email and password to sign in"
      password="current-password"
      errorMessage={errorMessage}
      email={email}
      busy={busy}
      onSubmit={(credentials) => auth.send({ type: 'login', credentials })}
    />
  );
}
