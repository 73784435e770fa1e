import type { Change } from '../backend.ts';

/** Changes by the check that the report must name first, and by the name of the fault. */
export type FaultTable = { [id: string]: { [name: string]: Change } };
