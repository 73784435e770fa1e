/** Faults that no test notices, by their names, and why that is right. */
export const survivors: Record<string, string> = {
  "machines/projects.ts: projectsMachine > create > creating > invoke > onDone: without 'clearCreateError': [ { type: 'appendProject', params: outcome }, 'clearCreat...":
    'The message went when creating started (CREATE-1); CREATE-3 is said once more for whoever reads the chart.',
  "machines/projects.ts: projectsMachine > create > creating > invoke > onError: left out: actions: 'clearCreateError'":
    'The message went when creating started (CREATE-1); READ-15 is said once more for whoever reads the chart.',
  "machines/projects.ts: submittedProject: left out: assertEvent(event, 'createProject');":
    'No other event enters `creating`; this tells the compiler so.',
  'src/api/api.ts: newKey: one more: 16':
    'A key is any text of 128 random bits; in which digits it is written is nothing that anybody depends on.',
};
