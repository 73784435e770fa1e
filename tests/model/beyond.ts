import { ignoredName } from './observed.ts';

/** What nobody can do on the screens. */
export const notByAPerson: Record<string, string> = Object.fromEntries(
  ['closed', 'closing', 'kept'].map((state) => [
    ignoredName(`projects · watch.${state}`, 'projects.closed'),
    'a screen that is closed cannot be closed again',
  ]),
);
