import { useId } from 'react';
import { progress } from './button.css.ts';
import * as css from './project-list.css.ts';

type Row = { title: string; description: string };

/**
 * The list, in the order given. Its text is shown as text, whole, with its line breaks, and in the direction that it is
 * written in. Rows are told apart by their place: nothing keeps a backend from using an id twice.
 */
export function ProjectList({
  heading,
  rows,
  loading,
}: {
  heading: string;
  rows: Row[];
  loading: boolean;
}) {
  const id = useId();
  return (
    <section className={css.section} aria-labelledby={id} aria-busy={loading}>
      <h2 id={id}>{heading}</h2>
      <div className={css.track}>{loading && <span className={progress} />}</div>
      {rows.length > 0 ? (
        <ul className={css.list} role="list">
          {rows.map((row, index) => (
            <li key={index} className={css.row}>
              <h3 className={css.title} dir="auto">
                {row.title}
              </h3>
              <p className={css.description} dir="auto">
                {row.description}
              </p>
            </li>
          ))}
        </ul>
      ) : (
        <p className={css.note}>{loading ? 'Loading projects…' : 'No projects to show.'}</p>
      )}
    </section>
  );
}
