import { render } from '@testing-library/react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { disableControls } from '../../src/prerender/render.tsx';
import { SubmitButton } from '../../src/ui/button.tsx';
import { ProjectList } from '../../src/ui/project-list.tsx';

test('a prerendered button is disabled, unless it submits a form', () => {
  const html = renderToStaticMarkup(
    <>
      <SubmitButton busy={false}>Create Project</SubmitButton>
      <ProjectList
        heading="List"
        rows={[]}
        loading={false}
        showNewestLabel="Show the new project"
      />
    </>,
  );
  const { container } = render(<div dangerouslySetInnerHTML={{ __html: disableControls(html) }} />);
  const buttons = [...container.querySelectorAll('button')];
  expect(buttons.map(({ textContent, disabled }) => [textContent, disabled])).toEqual([
    ['Create Project', false],
    ['Show the new project', true],
  ]);
});
