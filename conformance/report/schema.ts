/** The types of conformance.json, whose fields are explained where they are made. */
import type { createReport } from './create-report.ts';

export type Report = ReturnType<typeof createReport>;
export type Totals = Report['totals']['must'];
export type ReportedFinding = Report['findings'][number];
export type ReportedResult = Report['results'][number];
export type ReportedProblem = ReportedFinding['problems'][number];
