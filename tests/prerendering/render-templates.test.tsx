import { expect, test, vi } from 'vitest';
import { renderTemplates } from '../../src/boot/render-templates.tsx';

const about = vi.hoisted(() => ({ heading: (): string => '' }));
vi.mock('../../src/screens/about.tsx', () => ({
  AboutScreen: () => <h1>{about.heading()}</h1>,
}));

const fail = () => {
  throw new Error('No text');
};

test.each([
  ['throws', fail, 'No text'],
  ['has another heading than its row', () => 'Another', '/about has the heading "Another"'],
])('prerendering fails if a screen %s', async (_, heading, message) => {
  about.heading = heading;
  await expect(renderTemplates()).rejects.toThrow(message);
});
