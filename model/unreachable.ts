/** What a driver cannot reach, by the names of the coverage, with the reason. */
import { ignoredEventName } from './inspection.ts';

/** What no user can do on the screens. */
export const unreachableForUsers: Record<string, string> = Object.fromEntries(
  ['inactive', 'releasing', 'cached'].map((state) => [
    ignoredEventName(`projects · subscription.${state}`, 'projects.closed'),
    'a closed screen cannot close',
  ]),
);
