import { useSelector } from '@xstate/react';
import { useEffect, useLayoutEffect, useReducer, useState } from 'react';
import { isCreating, isFetching } from '../../machines/projects.ts';
import { useActors } from '../actors-context.ts';
import { prefetchedRows } from '../prerendered.ts';
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
import { screens } from './table.ts';
import { useForm } from './use-form.ts';

export function ProjectsScreen() {
  const { projects } = useActors();
  const fetching = useSelector(projects, (snapshot) => snapshot.children.listProjects);
  const receivedRows = useSelector(fetching, (snapshot) => snapshot?.rows);
  const rows = useSelector(projects, (snapshot) => snapshot.context.projects);
  const isListBusy = useSelector(projects, isFetching);
  // In the prerendered page, the list is loading and may have rows.
  const isHydrated = useHydrated();
  const partialRows = receivedRows ?? (isHydrated ? undefined : prefetchedRows());

  useLayoutEffect(() => {
    projects.send({ type: 'projects.opened' });
    return () => projects.send({ type: 'projects.closed' });
  }, [projects]);

  const [createdCount, onCreated] = useReducer((count: number) => count + 1, 0);
  const showNewest = createdCount > 0 && rows.length > showNewestThreshold;
  return (
    <Stack>
      <NewProjectForm createdCount={createdCount} onCreated={onCreated} />
      <ProjectList
        heading="List of Projects"
        // Only a first list is shown while it streams. A later one replaces the rows as a whole.
        rows={rows.length > 0 ? rows : (partialRows ?? rows)}
        loading={isListBusy || !isHydrated}
        showNewestLabel={showNewest ? 'Show the new project' : undefined}
      />
    </Stack>
  );
}

/** In a list longer than this, the last row may be outside the viewport. */
const showNewestThreshold = 5;

const empty = { title: '', description: '' };

type NewProjectFormProps = { createdCount: number; onCreated: () => void };

function NewProjectForm({ createdCount, onCreated }: NewProjectFormProps) {
  const { projects } = useActors();
  const busy = useSelector(projects, isCreating);
  const errorMessage = useSelector(projects, (snapshot) => snapshot.context.createErrorMessage);
  const [submitted] = useState(() => projects.getSnapshot().context.submitted);
  const { form, field, resetAndFocus, submit } = useForm(
    newProjectSchema,
    submitted ?? empty,
    (project) => projects.send({ type: 'createProject', project }),
  );

  const [discardedCount, onDiscarded] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const created = projects.on('project.created', ({ project }) => {
      // A user who went on typing meanwhile keeps the text.
      const { title, description } = form.getValues();
      if (title === project?.title && description === project.description) {
        resetAndFocus(empty, 'title', onCreated);
      } else onCreated();
    });
    const discarded = projects.on('project.discarded', () => {
      const focused = document.activeElement;
      if (focused?.closest('form')) {
        resetAndFocus(empty, focused.matches('textarea') ? 'description' : 'title', onDiscarded);
      } else {
        form.reset(empty);
        onDiscarded();
      }
    });
    return () => {
      created.unsubscribe();
      discarded.unsubscribe();
    };
  }, [projects, form, resetAndFocus, onCreated]);

  return (
    <>
      <Heading>{screens['/projects'].heading}</Heading>
      <ErrorBanner message={errorMessage} />
      {/* A discard replaces the fields, because Ctrl+Z could restore the text of the old ones. */}
      <Form key={discardedCount} label={screens['/projects'].heading} onSubmit={submit}>
        <TextField
          label="Title"
          placeholder="Website development project"
          autoComplete="off"
          dir="auto"
          {...field('title')}
        />
        <TextArea label="Description" rows={4} dir="auto" {...field('description')} />
        <SubmitButton busy={busy}>Create Project</SubmitButton>
      </Form>
      <Announcement count={createdCount}>The project was created.</Announcement>
    </>
  );
}
