/** Mutants that behave like the original, by their names, with the reason. */
export const acceptedSurvivors: Record<string, string> = {
  "machines/projects.ts: create > creating > invoke > onDone > actions: without 'clearCreateError'":
    'The message was cleared when creating started (CREATE-1). The chart states CREATE-3 as well.',
  'machines/projects.ts: create > creating > invoke > onError > actions: left out':
    'The message was cleared when creating started (CREATE-1). The chart states CHOICE-15 as well.',
  'src/main.tsx: keeps an unused prefetched list for the next user':
    'The list is unused only if the user follows a link while the app hydrates the projects.',
  'src/prerender/inline-script.ts: appends rows during the hydration':
    'A mismatch needs rows that arrive between two slices of one rendering.',
  'src/prerendered.ts: transfers the state of another form':
    'The forms differ only if the user follows a link while the app renders. Nothing is typed since.',
};
