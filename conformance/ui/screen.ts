import type { Seen } from '../../tests/model/driver.ts';

/** What is on the screen. Runs in the page. */
export function seenOnScreen(
  all: { button: string; fields: readonly string[] }[],
): Omit<Seen, 'calls' | 'logged'> {
  const textOf = (selector: string) => document.querySelector(selector)?.textContent ?? undefined;
  const button = document.querySelector('form button');
  const known = all.find((form) => form.button === button?.textContent);
  const labels = [...document.querySelectorAll('label')];
  const section = document.querySelector('main section');
  const isBusy = (element: Element) => element.getAttribute('aria-busy') === 'true';
  return {
    path: location.hash.slice(1) || '/',
    banner: textOf('[role=alert]'),
    announced: textOf('[role=status]')?.trim() ?? '',
    form:
      known && button
        ? {
            button: known.button,
            busy: isBusy(button),
            values: known.fields.map((name) => {
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
          rows: [...section.querySelectorAll('li')].map(
            (row) => [...row.children].map(({ textContent }) => textContent) as [string, string],
          ),
          note: section.querySelector(':scope > p')?.textContent ?? undefined,
        }
      : undefined,
  };
}
