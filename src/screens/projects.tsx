import { useLocation } from '@tanstack/react-router';
import { useSelector } from '@xstate/react';
import { useLayoutEffect, useState } from 'react';
import {
  emptiesForm,
  emptyDraft,
  hasListFailed,
  isCreating,
  isFetching,
  isSameText,
  visibleRows,
} from '../../machines/projects.ts';
import type { NewProject } from '../../machines/types.ts';
import { useActors } from '../actors-context.ts';
import { draftEvents } from '../draft.ts';
import { ErrorBanner } from '../ui/banner.tsx';
import { SubmitButton } from '../ui/button.tsx';
import { TextArea, TextField } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { ProjectList } from '../ui/project-list.tsx';
import { Announcement } from '../ui/announcement.tsx';
import { Heading } from '../ui/heading.tsx';
import { Stack } from '../ui/layout.tsx';
import { useHydrated } from '../ui/use-hydrated.ts';
import { newProjectSchema } from './schemas.ts';
import { forms } from '../../shared/forms.ts';
import { screens } from '../../shared/routes.ts';
import { useForm } from './use-form.ts';

/** In a list longer than this, the last row may be outside the viewport. */
const showNewestThreshold = 5;

const { route, button, fields } = forms.createProject;
const { heading } = screens[route];

export function ProjectsScreen() {
  const { projects } = useActors();
  const rows = useSelector(projects, visibleRows);
  const isListBusy = useSelector(projects, isFetching);
  const hasFailed = useSelector(projects, hasListFailed);
  const isFormBusy = useSelector(projects, isCreating);
  const errorMessage = useSelector(projects, (snapshot) => snapshot.context.createErrorMessage);
  const createdCount = useSelector(projects, (snapshot) => snapshot.context.createdCount);
  // In the prerendered page, the list is loading.
  const isHydrated = useHydrated();
  // The prerendered form has it already, and perhaps a newer text.
  const [draft] = useState(() => (isHydrated ? projects.getSnapshot().context.typed : emptyDraft));
  const form = useForm(newProjectSchema, draft, (project) =>
    projects.send({ type: 'createProject', project }),
  );
  const { formProps, fieldsKey, field } = form;

  useOpenScreen(projects, form);
  useEmptiedForm(projects, form);

  const historyEntry = useLocation({ select: ({ state }) => state.key });
  const showNewest = createdCount > 0 && rows.length > showNewestThreshold;
  return (
    <Stack>
      <Heading>{heading}</Heading>
      <ErrorBanner message={errorMessage} busy={isFormBusy} />
      {/* `off`, because a browser that goes back would restore the description and not the title. */}
      <Form key={fieldsKey} label={heading} autoComplete="off" {...formProps}>
        <TextField
          label={fields.title}
          placeholder="Website development project"
          dir="auto"
          autoComplete="off"
          {...field('title')}
        />
        <TextArea label={fields.description} rows={4} dir="auto" {...field('description')} />
        <SubmitButton busy={isFormBusy}>{button}</SubmitButton>
      </Form>
      <Announcement count={createdCount}>The project was created.</Announcement>
      <ProjectList
        heading="List of Projects"
        rows={rows}
        loading={isListBusy || !isHydrated}
        failed={hasFailed}
        historyEntry={historyEntry}
        showNewestLabel={showNewest ? 'Show the new project' : undefined}
      />
    </Stack>
  );
}

type ProjectForm = ReturnType<typeof useForm<Required<NewProject>>>;
type ProjectsActor = ReturnType<typeof useActors>['projects'];

function useOpenScreen(projects: ProjectsActor, { values }: ProjectForm) {
  useLayoutEffect(() => {
    projects.send({ type: 'projects.opened' });
    const listening = new AbortController();
    const keepText = () => projects.send({ type: 'draft.typed', draft: values() });
    for (const type of draftEvents) addEventListener(type, keepText, listening);
    return () => {
      listening.abort();
      projects.send({ type: 'projects.closed', draft: values() });
    };
  }, [projects, values]);
}

/**
 * Empties the form when its project was created, and when another user has signed in. Fills it
 * again in a page that comes back.
 */
function useEmptiedForm(projects: ProjectsActor, form: ProjectForm) {
  const { values, resetAndFocus, resetInNewFields } = form;
  // Before the page is taken over, which may submit the form.
  useLayoutEffect(() => {
    const subscription = projects.on('*', (event) => {
      if (!emptiesForm(event, values())) return;
      if (event.type === 'project.created') resetAndFocus(emptyDraft);
      else resetInNewFields(emptyDraft);
      // A field that is removed may cause events, and has the earlier user's text.
      projects.send({ type: 'draft.typed', draft: values() });
    });
    // Safari empties the old fields of a form with `off` that comes back from the back/forward
    // cache, some time after this.
    const restore = ({ persisted }: PageTransitionEvent) => {
      const { typed } = projects.getSnapshot().context;
      if (persisted && !isSameText(typed, emptyDraft))
        resetInNewFields({ ...emptyDraft, ...typed });
    };
    addEventListener('pageshow', restore);
    return () => {
      removeEventListener('pageshow', restore);
      subscription.unsubscribe();
    };
  }, [projects, values, resetAndFocus, resetInNewFields]);
}
