import { useEffect, useEffectEvent } from 'react';
import { indexOf } from './row-elements.ts';
import type { MeasuredBlocks } from './use-measured-blocks.ts';

export type Row = { id?: unknown; title: string; description: string };
type Point = [node: Node, offset: number];

/**
 * Adds the rows that are not rendered to a copied selection, as text. Invariant: a copy contains
 * every row between the start and the end of the selection, in order.
 */
export function useCopiedRows({ list, before }: MeasuredBlocks, rows: readonly Row[]) {
  const onCopy = useEffectEvent((event: ClipboardEvent) => {
    const selection = getSelection();
    // A field has a selection of its own.
    const isInField = (event.target as Element).matches('input, textarea');
    if (!before.current || isInField || !selection || selection.isCollapsed) return;
    const text = withOtherRows(selection, list.current!, rows);
    if (text === undefined) return;
    event.preventDefault();
    event.clipboardData?.setData('text/plain', text);
  });

  useEffect(() => {
    const listener = (event: ClipboardEvent) => onCopy(event);
    addEventListener('copy', listener);
    return () => removeEventListener('copy', listener);
  }, []);
}

/** Returns the text of a selection with that of the other rows, or nothing if it has none. */
function withOtherRows(selection: Selection, list: Element, rows: readonly Row[]) {
  const range = selection.getRangeAt(0).cloneRange();
  const { anchorNode, anchorOffset, focusNode, focusOffset } = selection;
  const positions = [-1, ...Array.from(list.children, indexOf), rows.length];
  const parts: string[] = [];
  let start: Point = [range.startContainer, range.startOffset];
  const add = (end: Point) => {
    selection.setBaseAndExtent(...start, ...end);
    parts.push(String(selection));
    start = end;
  };
  const end: Point = [range.endContainer, range.endOffset];
  for (const [child, index] of positions.slice(1).entries()) {
    const others = rows.slice(positions[child]! + 1, index);
    if (others.length === 0 || !range.isPointInRange(list, child)) continue;
    add([list, child]);
    parts.push(...others.map(({ title, description }) => `${title}\n${description}\n`));
  }
  if (parts.length === 0) return undefined;
  add(end);
  selection.setBaseAndExtent(anchorNode!, anchorOffset, focusNode!, focusOffset);
  return parts.join('\n');
}
