import { useId, useMemo, useState } from 'react';
import * as css from './project-list.css.ts';
import { announcement } from './layout.css.ts';
import { useVirtualRows } from './use-virtual-rows.ts';

type Row = { title: string; description: string };

/**
 * The list, in the order given. Its text is shown as text, whole, with its line breaks, and in the direction that it is
 * written in. Rows are told apart by their place: nothing keeps a backend from using an id twice. Of a long list only the
 * rows around those in view are in the page; assistive technology is told how many there are.
 */
export function ProjectList({
  heading,
  rows,
  loading,
  newest,
}: {
  heading: string;
  rows: readonly Row[];
  loading: boolean;
  /** What the button says that brings the last row into view; no button without it. */
  newest?: string | undefined;
}) {
  const id = useId();
  const { list, before, after, isWhole, first, end, reveal } = useVirtualRows(rows.length);
  const known = loading ? -1 : rows.length;
  const [last, setLast] = useState({ loading, arrived: 0 });
  if (last.loading !== loading) setLast({ loading, arrived: loading ? 0 : rows.length });
  const drawn = useMemo(
    () =>
      rows.slice(first, end).map((row, index) => (
        <li
          key={first + index}
          className={css.row}
          aria-posinset={first + index + 1}
          aria-setsize={known}
        >
          <h3 className={css.title} dir="auto">
            {row.title}
          </h3>
          <p className={css.description} dir="auto">
            {row.description}
          </p>
        </li>
      )),
    [rows, first, end, known],
  );

  const showNewest = () => {
    const title = reveal(rows.length - 1)?.querySelector('h3');
    if (!title) return;
    title.tabIndex = -1;
    title.focus({ preventScroll: true });
  };

  return (
    <>
      <section className={css.section} aria-labelledby={id} aria-busy={loading}>
        <h2 id={id}>{heading}</h2>
        {loading && <span className={css.progress} />}
        {newest !== undefined && (
          <button type="button" className={css.newest} onClick={showNewest}>
            {newest}
          </button>
        )}
        {rows.length > 0 ? (
          <div>
            {!isWhole && <div ref={before} />}
            <ul className={css.list} role="list" aria-labelledby={id} ref={list}>
              {drawn}
            </ul>
            {!isWhole && <div ref={after} />}
          </div>
        ) : (
          <p className={css.note} aria-live="polite">
            {loading ? 'Loading projects…' : 'No projects to show.'}
          </p>
        )}
      </section>
      {/* Outside of what is busy, or screen readers may keep it back. */}
      <p className={announcement} aria-live="polite">
        {last.arrived > 0 && (last.arrived === 1 ? '1 project.' : `${last.arrived} projects.`)}
      </p>
    </>
  );
}
