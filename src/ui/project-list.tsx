import { memo, useId, useMemo, useState } from 'react';
import { DelayedAnnouncement } from './announcement.tsx';
import { Button } from './button.tsx';
import * as css from './project-list.css.ts';
import { rowTexts, type Row } from './row-texts.ts';
import { directionOf } from './text-direction.ts';
import { useChange } from './use-change.ts';
import { useVirtualRows } from './use-virtual-rows.ts';

/** Rows of a whole list that the browser lays out together, when they are near the viewport. */
const groupSize = 100;

const loadingStatus = 'Loading projects.';

type ProjectListProps = {
  heading: string;
  rows: readonly Row[];
  loading: boolean;
  /** Whether the list could not be fetched. Then nothing is said about its length. */
  failed?: boolean;
  /** The entry of the browser's history, to which the place of the reader belongs. */
  historyEntry?: string | undefined;
  /** Label of the button that scrolls to the last row. Without it there is no button. */
  showNewestLabel?: string | undefined;
};

/**
 * The list of projects, in the given order. The prerendered rows are filled by `data-field`, which
 * names a property of a project. Row keys are positions, because a backend may use an id twice.
 * `aria-setsize` has the length of the list, because only some rows of a long one are in the page.
 */
export function ProjectList({
  heading,
  rows,
  loading,
  failed = false,
  historyEntry,
  showNewestLabel,
}: ProjectListProps) {
  const id = useId();
  const virtual = useVirtualRows(rows, { isLoading: loading, historyEntry });
  const { list, before, after, isVirtualized, first, end, scrollToRow, showAll } = virtual;
  // Of a whole list, browsers count the rows. Each created project would change every row.
  const setSize = loading ? -1 : isVirtualized ? rows.length : undefined;
  const [status, setStatus] = useState(loading ? loadingStatus : '');
  useChange(loading, () => {
    const count = failed ? '' : countProjects(rows.length);
    setStatus(loading ? loadingStatus : count);
  });
  const items = useItems(rows, setSize, virtual);

  const showNewest = () => focusTitle(scrollToRow(rows.length - 1));

  return (
    <>
      <section className={css.section} aria-labelledby={id} aria-busy={loading}>
        <h2 id={id}>{heading}</h2>
        <span className={css.listProgress} />
        {isVirtualized && showAll && !loading && (
          <div className={css.showAll}>
            <Button onClick={showAll}>{`Show all ${rows.length} projects`}</Button>
          </div>
        )}
        {showNewestLabel !== undefined && <Button onClick={showNewest}>{showNewestLabel}</Button>}
        {isVirtualized && (
          <p className={css.printNote}>
            {`Only projects ${first + 1} to ${end} of ${rows.length} are printed.`}
          </p>
        )}
        {rows.length > 0 ? (
          <div>
            {isVirtualized && <div ref={before} />}
            <ul className={css.list} role="list" aria-labelledby={id} ref={list}>
              {items}
            </ul>
            {isVirtualized && <div ref={after} />}
          </div>
        ) : (
          !failed && (
            <p className={css.note}>{loading ? 'Loading projects…' : 'No projects to show.'}</p>
          )
        )}
      </section>
      {/* Outside the busy section, because screen readers may defer announcements inside it. */}
      <DelayedAnnouncement>{status}</DelayedAnnouncement>
    </>
  );
}

/** Returns the rendered rows, in groups if the list is whole. */
function useItems(
  rows: readonly Row[],
  setSize: number | undefined,
  { first, end, isWhole, heightOfRows }: ReturnType<typeof useVirtualRows>,
) {
  return useMemo(() => {
    const render = (from: number, to: number) =>
      rows
        .slice(from, to)
        .map((row, i) => (
          <ProjectRow key={from + i} row={row} position={from + i + 1} setSize={setSize} />
        ));
    if (!isWhole) return render(first, end);
    // The last group is larger, so that it is higher than the viewport.
    const groupCount = Math.max(1, Math.floor(rows.length / groupSize));
    return Array.from({ length: groupCount }, (_, group) => {
      const from = group * groupSize;
      const to = group < groupCount - 1 ? from + groupSize : rows.length;
      const style = { containIntrinsicBlockSize: `auto ${heightOfRows(from, to)}px` };
      return (
        <div key={`group-${group}`} role="presentation" className={css.group} style={style}>
          {render(from, to)}
        </div>
      );
    });
  }, [rows, first, end, setSize, isWhole, heightOfRows]);
}

const ProjectRow = memo(function ProjectRow({
  row,
  position,
  setSize,
}: {
  row: Row;
  position: number;
  setSize: number | undefined;
}) {
  const textProps = (field: keyof typeof rowTexts) => {
    const text = rowTexts[field](row);
    // The inline script does not set the direction of the prerendered rows.
    return {
      dir: directionOf(text),
      suppressHydrationWarning: true,
      'data-field': field,
      children: text,
    };
  };
  return (
    <li className={css.row} aria-posinset={position} aria-setsize={setSize}>
      <h3 className={css.title} {...textProps('title')} />
      <p className={css.description} {...textProps('description')} />
    </li>
  );
});

function focusTitle(row: Element | undefined) {
  const title = row?.querySelector<HTMLElement>('[data-field=title]');
  if (!title) return;
  title.tabIndex = -1;
  title.focus({ preventScroll: true });
}

function countProjects(count: number): string {
  return count === 0 ? 'No projects.' : count === 1 ? '1 project.' : `${count} projects.`;
}
