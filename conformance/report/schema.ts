/** The format of conformance.json: the type of a report, its check and its JSON Schema. */
import { z } from 'zod';
import { levels } from '../checks/check.ts';
import { statuses } from '../problems/problem.ts';

/** The name of the JSON Schema beside conformance.json. */
export const schemaFile = 'conformance.schema.json';

const texts = z.array(z.string());
const count = z.int().nonnegative();

const call = z
  .strictObject({
    person: z.string(),
    browserName: z.string().describe('Unique: a person may have several browsers.'),
    operation: z.string().describe('The operationId, or the method and path of another request.'),
    status: count.describe('0 without a response.'),
    request: z.string(),
    response: z.string(),
  })
  .meta({
    id: 'call',
    description: 'One request and its response, without passwords, cookies and tokens.',
  });

const problem = z
  .strictObject({
    description: z.string().describe('What is wrong, in at most 100 characters.'),
    detail: z.string().optional().describe('More about it.'),
    userSees: z.string().optional().describe('What the app shows its users.'),
    calls: z.array(call),
  })
  .meta({ id: 'problem' });

const words = {
  id: z.string().describe('Permanent id of the check, such as ERR-1.'),
  level: z.enum(levels),
  title: z.string().describe('What holds when the check is met.'),
  requirement: z.string().describe('What a backend has to do.'),
  statements: texts.describe('Ids of statements in docs/specification.md.'),
};

const finding = z
  .strictObject({
    ...words,
    id: z.string().describe('The check to begin with, the first of "ids".'),
    ids: texts.describe('The checks that are not met, the one to begin with first.'),
    summary: z
      .string()
      .optional()
      .describe('What the problems have in common, in at most 100 characters. Absent for one.'),
    situations: texts.describe('In which situations the summary holds.'),
    problems: z
      .array(problem)
      .describe('The first problems, or one that stands for all of the summary.'),
    problemCount: z.int().positive(),
    reproduce: texts.describe(
      'Shell commands that show the first problem again. Empty when commands cannot.',
    ),
    causes: texts.describe('Checks whose failure may be the cause of this one. Empty for a cause.'),
  })
  .meta({
    id: 'finding',
    description: 'One check, or several that are not met for one cause.',
  });

const result = z
  .strictObject({
    ...words,
    status: z
      .enum(statuses)
      .describe(
        'passed: met. failed: not met. skipped: not applicable. blocked: a precondition failed.',
      ),
    note: z.string().optional(),
    blockedBy: texts
      .optional()
      .describe(
        'Of a blocked check: the checks that are not met and tell why. Empty if none does.',
      ),
    problems: z.array(problem),
    calls: z.array(call).describe('The first requests of the check.'),
    durationMs: count,
  })
  .meta({ id: 'result' });

const totals = z
  .strictObject({
    total: count,
    passed: count,
    failed: count,
    blocked: count,
    notJudged: count.describe('Blocked for a reason that no finding tells, such as lack of time.'),
    skipped: count,
  })
  .meta({ id: 'totals' });

const reportSchema = z
  .strictObject({
    $schema: z.literal(schemaFile).describe('The schema, which is in the folder of the report.'),
    version: z.literal(3).describe('Rises when a field is removed or changes its meaning.'),
    origin: z.string(),
    seed: count,
    runId: z.string(),
    startedAt: z.iso.datetime(),
    durationMs: count,
    verdict: z.string().describe('The result in a sentence.'),
    findings: z
      .array(finding)
      .describe('Causes first, each MUST before each SHOULD. Empty when all checks are met.'),
    results: z
      .array(result)
      .describe('Every check of the run with its own status, in the order of the run.'),
    userMessages: z
      .array(
        z.strictObject({
          id: z.string(),
          situation: z.string(),
          status: count.describe('0 without a response.'),
          response: z.string(),
          message: z.string(),
        }),
      )
      .describe('What users read.'),
    totals: z.strictObject({ must: totals, should: totals }),
    throttling: z.string().optional().describe('What the kit waited for.'),
    notJudged: z
      .array(
        z.strictObject({
          reason: z.string(),
          limit: z.enum(['time', 'throttling']).optional().describe('What ended the time to wait.'),
          ids: texts,
        }),
      )
      .describe('MUST and SHOULD checks that are blocked for a reason that no finding tells.'),
    notes: texts.describe('Remarks about the address, the connection and what was tried.'),
    leftovers: z.string().describe('What the run left on the server.'),
  })
  .meta({
    $id: 'https://tracker-conformance.example/report/3',
    title: 'Report of the conformance kit (conformance.json)',
  });

export type Report = z.infer<typeof reportSchema>;
export type ReportedFinding = z.infer<typeof finding>;
export type ReportedResult = z.infer<typeof result>;
export type ReportedProblem = z.infer<typeof problem>;
export type Totals = z.infer<typeof totals>;

/** The JSON Schema of a report. */
export const jsonSchema = z.toJSONSchema(reportSchema);
