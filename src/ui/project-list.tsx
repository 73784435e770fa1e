import { useId, useMemo, useState } from 'react';
import { DelayedAnnouncement } from './announcement.tsx';
import { Button } from './button.tsx';
import * as css from './project-list.css.ts';
import { useVirtualRows } from './use-virtual-rows.ts';

type ProjectListProps = {
  heading: string;
  rows: readonly { title: string; description: string }[];
  loading: boolean;
  /** Whether the list could not be fetched. Then nothing is said about its length. */
  failed?: boolean;
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
  showNewestLabel,
}: ProjectListProps) {
  const id = useId();
  const { list, before, after, isVirtualized, first, end, scrollToRow, showAll } = useVirtualRows(
    rows.length,
  );
  const setSize = loading ? -1 : rows.length;
  const [last, setLast] = useState({ loading, status: loading ? 'Loading projects.' : '' });
  if (last.loading !== loading) {
    const count = failed ? '' : countProjects(rows.length);
    setLast({ loading, status: loading ? 'Loading projects.' : count });
  }
  const items = useMemo(
    () =>
      rows.slice(first, end).map((row, index) => (
        <li
          key={first + index}
          className={css.row}
          aria-posinset={first + index + 1}
          aria-setsize={setSize}
        >
          <h3 className={css.title} dir="auto" data-field="title">
            {row.title}
          </h3>
          <p className={css.description} dir="auto" data-field="description">
            {row.description}
          </p>
        </li>
      )),
    [rows, first, end, setSize],
  );

  const showNewest = () => {
    const title = scrollToRow(rows.length - 1)?.querySelector('h3');
    if (!title) return;
    title.tabIndex = -1;
    title.focus({ preventScroll: true });
  };

  return (
    <>
      <section className={css.section} aria-labelledby={id} aria-busy={loading}>
        <h2 id={id}>{heading}</h2>
        <span className={css.progress} />
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
      <DelayedAnnouncement>{last.status}</DelayedAnnouncement>
    </>
  );
}

function countProjects(count: number): string {
  return count === 0 ? 'No projects.' : count === 1 ? '1 project.' : `${count} projects.`;
}
