import type { components } from '../../generated/api.d.ts';

type Project = components['schemas']['Project'];
export type Row = Omit<Project, 'id'> & { id?: unknown };

/** The text of each field in a row: of the app, and of the prerendered page. */
export const rowTexts: { [Name in Exclude<keyof Project, 'id'>]-?: (row: Row) => string } = {
  title: ({ title }) => title,
  description: ({ description }) => description,
};
