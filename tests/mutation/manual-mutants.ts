import { existsSync, readFileSync } from 'node:fs';
import type { Mutant } from './mutant.ts';

/** The first occurrence of a text is replaced, or deleted if the change is a text alone. */
type Change = string | [from: string, to: string];

/**
 * Mistakes that a developer could make in good faith. Per file: what each mutant does, and its
 * change. Files that only a browser can judge have no other mutants.
 */
const changes: Record<string, Record<string, Change>> = {
  'machines/auth.ts': {
    'clears the login error when the next login starts': [
      '    loggingIn: {\n',
      "    loggingIn: {\n      entry: 'clearLoginError',\n",
    ],
    'stores the message of a failed registration': [
      "            target: 'unauthenticated',\n            actions: 'clearUser',",
      "            target: 'unauthenticated',\n            actions: ['clearUser', { type: 'storeLoginError', params: messageOf }],",
    ],
    'clears the user at sign-in': [
      "actions: ['clearLoginError', { type: 'announceLogin'",
      "actions: ['clearLoginError', 'clearUser', { type: 'announceLogin'",
    ],
    'sends a second login request while the first is pending': [
      "      on: {\n        registerUser: { target: 'registering', meta: { statements: ['AUTH-6', 'CHOICE-8'] } },",
      "      on: {\n        login: { target: 'loggingIn', reenter: true },\n        registerUser: { target: 'registering', meta: { statements: ['AUTH-6', 'CHOICE-8'] } },",
    ],
    'does not count a registered user as authenticated': [
      "snapshot.matches('authenticated');",
      "snapshot.matches('authenticated') && snapshot.context.user === undefined;",
    ],
  },
  'machines/projects.ts': {
    'shows a project twice that the fetched list has': [
      'withProject(context.projects, project)',
      '[...context.projects, project]',
    ],
    'shows a created project first': [
      'withProject(context.projects, project)',
      '[project, ...context.projects.filter(({ id }) => id !== project.id)]',
    ],
    'adds a fetched list to the previous one': [
      'projects: (_, projects: Project[]) => projects',
      'projects: ({ context }, projects: Project[]) => [...context.projects, ...projects]',
    ],
    'empties the list when the screen opens': [
      "          target: '.loading',\n",
      "          target: '.loading',\n          actions: 'clearProjects',\n",
    ],
    'shows a project before its response': [
      "          entry: 'clearCreateError',\n",
      "          entry: ['clearCreateError', { type: 'appendProject', params: ({ context }) => ({ id: 'new', ...context.submitted! }) }],\n",
    ],
    'keeps the project of the previous user at sign-in': [
      'email !== undefined && email !== newEmail.toLowerCase()',
      'email === undefined && email !== newEmail.toLowerCase()',
    ],
    'discards the project when the same user signs in': [
      ' && email !== newEmail.toLowerCase()',
      '',
    ],
    'discards the project when the same user types the email in upper case': [
      'email !== newEmail.toLowerCase()',
      'email !== newEmail',
    ],
    'discards the project at the first sign-in': ['email !== undefined && ', ''],
    'keeps the create error of the previous user': [
      "actions: ['clearCreateError', 'clearUndecided', 'announceDiscard']",
      "actions: ['clearUndecided', 'announceDiscard']",
    ],
    'repeats the Idempotency-Key of the previous user': [
      "actions: ['clearCreateError', 'clearUndecided', 'announceDiscard']",
      "actions: ['clearCreateError', 'announceDiscard']",
    ],
    'repeats the Idempotency-Key of the previous user, whose form was empty':
      "              actions: 'clearUndecided',\n",
    'sends a new Idempotency-Key after an error of the server': [
      '...(isDecided ? [] : [submitted!]),',
      '',
    ],
    'repeats the Idempotency-Key of a refused project': [
      '...(isDecided ? [] : [submitted!]),',
      'submitted!,',
    ],
    'repeats the Idempotency-Key for another description': [
      ' && other.description === project.description',
      '',
    ],
    'releases the subscription a millisecond late': [
      'subscriptionBatching: 500',
      'subscriptionBatching: 501',
    ],
    'drops the cached rows a millisecond late': [
      'keepUnusedData: 60_000',
      'keepUnusedData: 60_001',
    ],
  },
  'src/actors.ts': {
    'navigates after registration, wherever the user is': [
      'if (router?.state.location.pathname === from) void router.navigate',
      'void router?.navigate',
    ],
    'replaces the history entry, so that the user cannot go back': [
      'router.navigate({ to })',
      'router.navigate({ to, ...{ replace: true } })',
    ],
    'keeps the rows of the previous user at sign-in':
      "  auth.on('user.loggedIn', ({ email }) => projects.send({ type: 'user.changed', email }));\n",
    'logs an exception of a call without its reason': [
      'log(operationId, error);',
      'log(operationId, undefined);',
    ],
    'logs a failed list without its reason': [
      "log('listProjects', reason)",
      "log('listProjects', undefined)",
    ],
  },
  'src/api/outcome.ts': {
    'repeats the Idempotency-Key that the server refuses': ['[400, 409, ', '[400, '],
    'sends a new Idempotency-Key after a refused session': ['[400, 409', '[400, 401, 409'],
    'accepts a blank message': ["message.trim() !== ''", "message !== ''"],
    'throws network errors': [
      '    } catch {\n      return Response.error();\n    }',
      '    } catch (error) {\n      throw error;\n    }',
    ],
    'throws at a login response that is not JSON': [
      'return { ok: true, value: await read(response) };',
      'JSON.parse(await response.clone().text());\n    return { ok: true, value: await read(response) };',
    ],
  },
  'src/api/xsrf.ts': {
    'sends the token percent-encoded': ['return decodeURIComponent(value);', 'return value;'],
  },
  'src/api/api.ts': {
    'sends a new Idempotency-Key with each attempt': ['idempotencyKeys.get(body) ?? ', ''],
    'sends no cookies': ["credentials: 'include'", "credentials: 'omit'"],
  },
  'src/router.tsx': {
    "shows the router's own page for a path that cannot be decoded":
      '  notFoundComponent: notFoundOptions.component,\n',
    "shows the router's own page for an exception": '  errorComponent: ErrorScreen,\n',
  },
  'src/screens/projects.tsx': {
    'empties the form at submit': [
      "    (project) => projects.send({ type: 'createProject', project }),\n",
      "    (project) => (form.reset(empty), projects.send({ type: 'createProject', project })),\n",
    ],
    'shows an error for a failed list': [
      '      <ProjectList\n',
      '      {projects.getSnapshot().matches({ list: "failed" }) && <p role="alert">The list failed.</p>}\n      <ProjectList\n',
    ],
    'keeps the subscription when the screen closes':
      "    return () => projects.send({ type: 'projects.closed' });\n",
    'loses the submitted project when the user leaves': ['submitted ?? empty', 'empty'],
    'keeps the text of a discarded project in view': [
      "projects.on('project.discarded', () => {\n",
      "projects.on('project.discarded', () => {\n      return;\n",
    ],
  },
  'src/screens/login.tsx': {
    'shows a busy form during registration': [
      "snapshot.matches('loggingIn')",
      "snapshot.matches('loggingIn') || snapshot.matches('registering')",
    ],
  },
  'src/screens/register.tsx': {
    'shows the login error': [
      '      busy={busy}\n',
      '      busy={busy}\n      errorMessage={auth.getSnapshot().context.loginErrorMessage}\n',
    ],
  },
  'src/screens/schemas.ts': {
    'trims a title': [
      "string().check(required('Title'))",
      "string().check((await import('zod/mini')).trim(), required('Title'))",
    ],
  },
  'src/screens/layout.tsx': {
    'shows the year of the release': ['new Date().getFullYear()', '2026'],
    'styles "Sign up" like "Home"': ['variant="outlined"', 'variant="nav"'],
    'styles "Sign in" like "Home"': ['variant="filled"', 'variant="nav"'],
  },
  'src/screens/use-form.ts': {
    'shows a corrected error until the next blur': ["mode: 'onTouched'", "mode: 'onBlur'"],
    'shows errors before the first blur': ["mode: 'onTouched'", "mode: 'all'"],
    'shows errors only at submit': ["mode: 'onTouched'", "mode: 'onSubmit'"],
    'leaves the focus where it was after a reset': '      setFocusTarget({ name });\n',
  },
  'src/screens/credentials-form.tsx': {
    'shows the password': ['type="password"', 'type="text"'],
    'shows the message inside the form': [
      '      <ErrorBanner message={props.errorMessage} busy={props.busy} />\n      <Form label={props.heading} onSubmit={submit}>',
      '      <Form label={props.heading} onSubmit={submit}>\n        <ErrorBanner message={props.errorMessage} busy={props.busy} />\n',
    ],
  },
  'src/ui/button.tsx': {
    'disables a busy button': ['aria-disabled={busy}', 'disabled={busy}'],
  },
  'src/ui/form.tsx': {
    'ignores a held Enter in a description': ' && event.target instanceof HTMLInputElement',
  },
  'src/ui/project-list.tsx': {
    'hides the rows while the list loads': [
      '{rows.length > 0 ? (',
      '{rows.length > 0 && !loading ? (',
    ],
    'uses titles as keys': ['key={first + index}', 'key={row.title}'],
    'renders a description as HTML': [
      '            {row.description}\n',
      '            <span dangerouslySetInnerHTML={{ __html: row.description }} />\n',
    ],
  },
  'src/ui/block-offsets.ts': {
    'renders a long list as a whole': [
      'export const maxUnvirtualizedRows = 50;',
      'export const maxUnvirtualizedRows = 1e9;',
    ],
  },
  'src/ui/use-virtual-rows.ts': {
    'ignores scrolling': "    addEventListener('scroll', onScroll, { passive: true, signal });\n",
    'leaves Home and End to the browser':
      "    addEventListener('keydown', onKeyDown, { signal });\n",
    'ignores a new size of the window': "    addEventListener('resize', onResize, { signal });\n",
    'prints only the rows in the page': "    addEventListener('beforeprint', onPrint);\n",
    'loses the focus of a row that leaves the page':
      '    if (block < next.from || block >= next.to) focusList();\n',
    'loses the focus of the button that shows all rows': [
      '    flushSync(() => setWhole(true));\n    focusList();\n',
      '    flushSync(() => setWhole(true));\n',
    ],
    'renders only the rows in the viewport': [
      'offsets.blockAt(y - innerHeight / 2, blockCount)',
      'offsets.blockAt(y, blockCount)',
    ],
    'keeps the space above the rows': [
      '      above.height = `${offsets.offsetOf(from)}px`;\n',
      "      above.height = '0px';\n",
    ],
    'scrolls once to a row that was never measured': [
      'isVirtualized ? 2 : 0; attempts',
      'isVirtualized ? 1 : 0; attempts',
    ],
  },
  'src/ui/banner.css.ts': {
    'does not fill the banner': '  background: color.criticalFill,\n',
    'shows a message on one line': "  whiteSpace: 'pre-wrap',\n",
  },
  'src/ui/field.css.ts': {
    'keeps the border of a field with an error':
      '      borderWidth: 2,\n      borderColor: color.critical,\n',
    'moves the button down for an error': "  minHeight: '1.3125rem',\n",
  },
  'src/ui/link.css.ts': {
    'does not mark the link of the current screen': [
      "      content: '\"\"',\n      position: 'absolute',\n      bottom: '-",
      "      content: 'none',\n      position: 'absolute',\n      bottom: '-",
    ],
  },
  'src/ui/project-list.css.ts': {
    'shows a description on one line': [
      'description = style({ ...userText, color',
      "description = style({ ...userText, whiteSpace: 'normal', color",
    ],
  },
  'src/styles/progress.css.ts': {
    'does not animate the progress of a call':
      '    animation: `${slideRight} 1.1s linear infinite`,\n',
  },
  'src/styles/visually-hidden.css.ts': {
    'shows the text for screen readers': "  position: 'absolute',\n  width: 1,\n  height: 1,\n",
  },
  'src/styles/global.css.ts': {
    'does not show the focus': [
      "globalStyle(':focus-visible', {\n  outline: `0.1875rem solid ${color.accent}`,",
      "globalStyle(':focus-visible', {\n  outline: 'none',",
    ],
    'animates pseudo-elements for users who prefer reduced motion': [
      "globalStyle('*, *::before, *::after', {\n  '@media'",
      "globalStyle('*', {\n  '@media'",
    ],
  },
  'src/styles/tokens.css.ts': {
    'uses the light theme as the dark one': [
      'vars: assignVars(color, dark)',
      'vars: assignVars(color, light)',
    ],
  },
  'src/main.tsx': {
    'has no global styles': "import './styles/global.css.ts';\n",
    'replaces the prerendered page': [
      '    hydrateRoot(root!, app.element, { onRecoverableError });',
      '    createRoot(root!).render(app.element);',
    ],
    'reports an error if another program changed the page': [', { onRecoverableError }', ''],
    'renders other boundaries than the prerendered page':
      '    app.router.ssr = { manifest: undefined };\n',
    'loses typed text when the lazy chunk fails to load': ['isMissing && prerendered', 'false'],
    'does not try again when the network is back': 'retryLazyScreens(), ',
    'requests the list twice': '  fetch: fetchWithPrefetchedList,\n',
    'hides prerendered rows until the list has loaded': '  prefetchedRows,\n',
    'keeps an unused prefetched list for the next user':
      "  if (toLocation.pathname !== '/projects') discardPrefetchedList();\n",
    'scrolls to the top when it takes over': 'app.router._scroll.n = false;\n',
  },
  'src/prerender/inline-script.ts': {
    'reads the prefetched list to its end':
      '        if (list.rows.length >= initialRowCount) return;\n',
    'ignores a URL fragment that changes':
      "addEventListener('hashchange', () => showScreen(true), screen);\n",
    'shows no error for a field left empty': "addEventListener('focusout', onBlur, form);\n",
    'keeps the error of a corrected field': "addEventListener('input', validate, form);\n",
    'sends a prerendered form as a page request': '  event.preventDefault();\n',
    'submits a form with an empty field': [
      '  else setSubmitted(!empty);\n',
      '  else setSubmitted(true);\n',
    ],
    'shows nothing when a script fails to load':
      "addEventListener('error', onError, { ...screen, capture: true });\n",
    'changes the forms of the app': '    formListeners.abort();\n',
    'keeps the button busy after the submit': [
      '  stop() {\n    setSubmitted(false);',
      '  stop() {',
    ],
    'keeps the error that the app could not be loaded': [
      '    hideLoadError();\n    // The app is there now',
      '    // The app is there now',
    ],
    'does not send a form that is submitted while the app hydrates after a failure': [
      '    hasFailed = false;\n    state.focused',
      '    state.focused',
    ],
    'ignores a link that was followed just before the hydration':
      '    if (shownHash !== location.hash) showScreen(true);\n',
    'follows a navigation while React hydrates':
      "addEventListener('popstate', onPopState, form);\n",
    'ignores a navigation that comes while React hydrates':
      "    if (shownHash !== location.hash) dispatchEvent(new PopStateEvent('popstate'));\n",
    'appends rows during the hydration': '      if (screenListeners.signal.aborted) return;\n',
    'shows the wrong screen for a path that cannot be decoded': [
      "isDecodable(path) ? '/*' : '/%'",
      "'/*'",
    ],
    'shows the placeholder of the year': [".replace('YEAR', year)", ''],
    'sends no XSRF token for the list': '...(token && { [xsrfHeader]: token })',
  },
  'src/prerender/render.tsx': {
    'links to other addresses than the app': "    .replaceAll('href=\"/', 'href=\"#/')\n",
  },
  'src/prerendered.ts': {
    'keeps the templates of the prerendered screens':
      "  document.getElementById('templates')?.remove();\n",
    'does not submit again': '  if (isSubmitted) form.requestSubmit();\n',
    'transfers the state of another form': ' || form?.ariaLabel !== source.ariaLabel',
    'loses typed text if another program changed the page':
      '      field.value = sourceField.value;\n',
    'loses the focus if another program changed the page':
      '      if (sourceField === focused) field.focus({ preventScroll: true });\n',
    'shows no error in a blurred field': ['if (blurredFields.has(field.name)) {', 'if (!form) {'],
    'keeps loading a list that nothing uses':
      '  window.prerendered?.list?.abortController.abort();\n',
  },
  'src/screens/error-screens.tsx': {
    'keeps the templates of the prerendered screens': '  useLayoutEffect(takeOver, []);\n',
  },
  'src/ui/field.tsx': {
    'replaces a form that was touched early': '          suppressHydrationWarning\n',
  },
};

/** Returns the mutants, and the names of the ones whose text is no longer in their file. */
export function manualMutants(): { mutants: Mutant[]; doNotApply: string[] } {
  const mutants: Mutant[] = [];
  const doNotApply: string[] = [];
  for (const [file, changesOfFile] of Object.entries(changes)) {
    const source = existsSync(file) ? readFileSync(file, 'utf8') : '';
    for (const [what, change] of Object.entries(changesOfFile)) {
      const [from, text] = typeof change === 'string' ? [change, ''] : change;
      const name = `${file}: ${what}`;
      const start = source.indexOf(from);
      if (start < 0) doNotApply.push(name);
      else mutants.push({ file, name, start, end: start + from.length, text });
    }
  }
  return { mutants, doNotApply };
}
