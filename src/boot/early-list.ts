/** The list of the prerendered screen: its first rows, before the app has loaded. */

import { isProject } from '../../generated/operations.ts';
import type { Project } from '../../machines/types.ts';
import { createJsonArrayStream } from '../api/json-array-stream.ts';
import { textChunks } from '../api/outcome.ts';
import type { PrefetchedList } from '../api/prefetched-list.ts';
import { initialRowCount } from '../ui/block-offsets.ts';
import { rowTexts } from '../ui/row-texts.ts';

/** Characters parsed at a time, so that only the start of a long list is parsed here. */
const maxParseLength = 4096;

type Options = {
  section: HTMLElement;
  /** Contains a list with an empty row. */
  template: HTMLTemplateElement;
  /** Aborted when the app takes over. */
  signal: AbortSignal;
};

/** Shows the first rows of the list as they arrive. Errors are left to the app to report. */
export async function streamRows(list: PrefetchedList, { section, template, signal }: Options) {
  try {
    const response = await list.response;
    if (!response.ok) return;
    const stream = createJsonArrayStream(isProject);
    for await (const chunk of textChunks(response.clone())) {
      if (signal.aborted) return;
      for (let start = 0; start < chunk.length; start += maxParseLength) {
        stream.write(chunk.slice(start, start + maxParseLength));
        list.rows = stream.items.slice(0, initialRowCount);
        if (list.rows.length > 0) appendRows(list.rows, section, template);
        if (list.rows.length >= initialRowCount) return;
      }
    }
  } catch {
    // Aborted, no response, or a malformed one.
  }
}

/** Appends those of the rows that are not in the section yet. */
function appendRows(rows: Project[], section: HTMLElement, { content }: HTMLTemplateElement) {
  if (!section.querySelector('ul')) {
    section.querySelector('p')?.remove();
    section.append(content.cloneNode(true));
    section.querySelector('li')!.remove();
  }
  const list = section.querySelector('ul')!;
  for (const project of rows.slice(list.children.length)) {
    const row = content.querySelector('li')!.cloneNode(true) as HTMLElement;
    for (const element of row.querySelectorAll<HTMLElement>('[data-field]')) {
      element.textContent = rowTexts[element.dataset['field'] as keyof typeof rowTexts](project);
    }
    list.append(row);
    row.ariaPosInSet = String(list.children.length);
  }
}
