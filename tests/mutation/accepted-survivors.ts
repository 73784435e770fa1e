/** Faults that no test notices, by their names, and why that is right. */
export const survivors: Record<string, string> = {
  "machines/projects.ts: projectsMachine > create > creating > invoke > onDone: without 'clearCreateError': [ { type: 'appendProject', params: outcome }, 'clearCreat...":
    'The message went when creating started (CREATE-1); CREATE-3 is said once more for whoever reads the chart.',
  "machines/projects.ts: projectsMachine > create > creating > invoke > onError: left out: actions: 'clearCreateError'":
    'The message went when creating started (CREATE-1); CHOICE-15 is said once more for whoever reads the chart.',
  "machines/projects.ts: submittedProject: left out: assertEvent(event, 'createProject');":
    'No other event enters `creating`; this tells the compiler so.',
  'src/api/api.ts: newKey: one more: 16':
    'A key is any text of 128 random bits; in which digits it is written is nothing that anybody depends on.',
  'src/api/json-array-stream.ts: createListReader > add: one more: -1':
    'Where no `}` is left it then tries a text that is no JSON, and goes on as it would have.',
  'src/api/json-array-stream.ts: createListReader > add: one more: -1 (2)': 'As the next one.',
  'src/api/json-array-stream.ts: createListReader > add: never: end === -1':
    'Where no `}` is left it then takes no item from a list of none, and looks again with the next piece: the list is the same.',
  'src/api/json-array-stream.ts: createListReader > add: one more: 0 (3)':
    'With each piece there is at least one character.',
  'src/api/json-array-stream.ts: createListReader > add: left out: enough = 2 * rest.length;':
    'A long project is then looked at with every piece of it: slower, and the list is the same.',
  'src/api/json-array-stream.ts: createListReader > add: one more: 2':
    'When to look again at a long project is a matter of speed.',
  'src/prerender/inline-script.ts: view > submitted: true: false':
    '`show` says so again before anybody can press a button; this tells the compiler what there is.',
  'src/prerender/take-over.ts: handOver: never: !field':
    'Both forms have the same fields; this tells the compiler so.',
  'src/prerender/take-over.ts: handOver: left out: view.form = null;':
    'It keeps a form that is gone from staying in memory, which nobody sees.',
  'src/prerender/take-over.ts: handOver: &&: !form || !own || own.getAttribute(name) !== form.getAttri...':
    'The two forms differ only where a link is followed while the app is being drawn, and nothing can have been typed since.',
  'src/prerender/take-over.ts: handOver: &&: !form || !own': 'As the one before.',
};
