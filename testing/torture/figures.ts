/** What a scenario measured. Figures named lost…, duplicated… or failed… must be 0. */
export type Figures = Record<string, number | string>;

/** This machine does not allow what a scenario needs. */
export class NotSupported extends Error {}
