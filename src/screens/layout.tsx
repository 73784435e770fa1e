import { createLink, Outlet, useRouterState, type AnyRouter } from '@tanstack/react-router';
import { useLayoutEffect, useState } from 'react';
import { takeOver } from '../prerendered.ts';
import { StyledLink } from '../ui/link.tsx';
import { Page, PlainPage } from '../ui/page.tsx';
import { paths, screens } from './table.ts';

export const Link = createLink(StyledLink);

/** The layout of every screen: the links of all screens, the content and the footer. */
export function Layout() {
  const [year] = useState(() => new Date().getFullYear());
  useLayoutEffect(takeOver, []);
  // The types of this router depend on this component.
  const contentKey = useRouterState<AnyRouter, string | undefined>({
    select: ({ matches }) => matches.at(-1)?.routeId,
  });
  return (
    <Page
      contentKey={contentKey}
      navigation={
        <>
          {paths.map((path) => (
            <Link key={path} variant={screens[path].link} to={path}>
              {screens[path].title}
            </Link>
          ))}
        </>
      }
      footer={`© ${year} Tracker App. All rights reserved.`}
    >
      <Outlet />
    </Page>
  );
}

/** The layout with an empty navigation area, which no route uses yet. */
export function PlainLayout() {
  return (
    <PlainPage>
      <Outlet />
    </PlainPage>
  );
}
