import { useSelector } from '@xstate/react';
import { isRegistering } from '../../machines/auth.ts';
import { useActors } from '../actors-context.ts';
import { CredentialsForm } from './credentials-form.tsx';
import { screens } from '../../shared/routes.ts';

export function RegisterScreen() {
  const { auth } = useActors();
  const busy = useSelector(auth, isRegistering);

  return (
    <CredentialsForm
      heading={screens['/register'].heading}
      subtitle="Enter your email and password to register"
      button="Register"
      password="new-password"
      busy={busy}
      onSubmit={(credentials) => auth.send({ type: 'registerUser', credentials })}
    />
  );
}
