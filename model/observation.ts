/**
 * The words in which the app and the specification are compared: what a screen shows, and what else
 * can be observed. Nothing here decides what the app does next.
 *
 * A rendered screen is read by `readScreen` alone. The oracle and the app without screens, which
 * have a state instead, describe it by `screenOf`. So the exploration compares states, and the walks
 * on the rendered screens prove what a screen makes of one.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Project } from '../machines/types.ts';
import { formNames, valuesOf, type Call } from './calls.ts';
import { forms } from '../shared/forms.ts';

/** What the user sees. */
export type Screen = {
  path: string;
  form: { button: string; busy: boolean; values: string[] } | undefined;
  /** The red banner above the form. */
  banner: string | undefined;
  /** The text of the live region. */
  announced: string;
  list:
    | {
        busy: boolean;
        rows: string[][];
        note: string | undefined;
      }
    | undefined;
};

/** What the user, the backend and the app's own code can observe at one moment. */
export type Observation = Screen & {
  /** Per call: requests made, requests in flight, and what the last one sent. */
  calls: Record<Call, { made: number; pending: number; sent: unknown }>;
  /** The operationId of each failure that was logged, in order. */
  logged: string[];
  /** What the app exposes and shows on no screen. */
  authenticated: boolean;
  role: string | undefined;
};

type Shown = {
  path: string;
  values: readonly string[];
  announced: string;
  pending: Call[];
  hasListFailed: boolean;
  /** The messages of the banners, by address. */
  errorMessages: Record<string, string | undefined>;
  projects: readonly Project[];
};

export function screenOf({
  path,
  values,
  announced,
  pending,
  hasListFailed,
  errorMessages,
  projects,
}: Shown) {
  const name = formNames.find((form) => forms[form].route === path);
  const isLoading = pending.includes('listProjects');
  const rows = projects.map((project) => valuesOf('createProject', project));
  // CHOICE-29.
  const emptyNote = hasListFailed ? undefined : 'No projects to show.';
  const note = isLoading ? 'Loading projects…' : emptyNote;
  const screen: Screen = {
    path,
    form: name && {
      button: forms[name].button,
      busy: pending.includes(name),
      values: [...values],
    },
    banner: errorMessages[path],
    announced,
    list:
      path === '/projects'
        ? { busy: isLoading, rows, note: rows.length > 0 ? undefined : note }
        : undefined,
  };
  return screen;
}

/** Returns what a screen looks like: its path, then its parts, each busy, filled or empty. */
export function lookOf({ path, form, banner, list }: Screen): string[] {
  const isFilled = form?.values.some((value) => value !== '');
  return [
    path,
    form && `form ${form.busy ? 'busy' : isFilled ? 'filled' : 'empty'}`,
    banner && 'error above the form',
    list &&
      `list ${list.busy ? 'loading' : 'loaded'}, ${list.rows.length > 0 ? 'rows' : 'no rows'}`,
  ].filter((part) => typeof part === 'string');
}

/** Runs in the page, so it uses nothing of this module. Returns what the screen shows. */
export function readScreen(allForms: { button: string; fields: Record<string, string> }[]): Screen {
  const textOf = (selector: string) => document.querySelector(selector)?.textContent ?? undefined;
  const isBusy = (element: Element) => element.getAttribute('aria-busy') === 'true';
  const button = document.querySelector('form button');
  const form = allForms.find((candidate) => candidate.button === button?.textContent);
  const labels = [...document.querySelectorAll('label')];
  const section = document.querySelector('main section:has(> h2)');
  return {
    path: location.hash.slice(1) || '/',
    banner: textOf('[role=alert]'),
    announced: textOf('[role=status]')?.trim() ?? '',
    form:
      form && button
        ? {
            button: form.button,
            busy: isBusy(button),
            values: Object.values(form.fields).map((name) => {
              const label = labels.find(({ textContent }) => textContent === name);
              return label?.control instanceof HTMLInputElement ||
                label?.control instanceof HTMLTextAreaElement
                ? label.control.value
                : `no ${name}`;
            }),
          }
        : undefined,
    list: section
      ? {
          busy: isBusy(section),
          rows: [...section.querySelectorAll('li')].map((row) =>
            [...row.querySelectorAll('[data-field]')].map((text) => text.textContent),
          ),
          note: section.querySelector(':scope > p')?.textContent ?? undefined,
        }
      : undefined,
  };
}

/** Returns what is different in the app and in the specification. */
export function differencesOf(actual: unknown, expected: unknown, name = ''): string[] {
  if (isDeepStrictEqual(actual, expected)) return [];
  if (isRecord(actual) && isRecord(expected)) {
    return Object.keys({ ...actual, ...expected }).flatMap((key) =>
      differencesOf(actual[key], expected[key], `${name}.${key}`),
    );
  }
  const [found, wanted] = [actual, expected].map((value) => JSON.stringify(value) ?? 'nothing');
  return [`${name.slice(1)}: the app has ${found}, and the specification says ${wanted}`];
}

/** Returns whether a value is an object and no array. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
