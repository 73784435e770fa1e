import { createLink, Outlet, useRouterState, type AnyRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { LinkGroup, StyledLink } from '../ui/link.tsx';
import { Page, PlainPage } from '../ui/page.tsx';
import { headerRoutes, screens } from '../../shared/routes.ts';

export const Link = createLink(StyledLink);

const links = headerRoutes.map((to) => ({
  to,
  variant: screens[to].link,
  title: screens[to].title,
}));

/** The header does not mark /projects as the current screen on /projects/1. */
const exactly = { exact: true };

const renderLink = ({ title, ...link }: (typeof links)[number]) => (
  <Link key={link.to} activeOptions={exactly} {...link}>
    {title}
  </Link>
);

/** Returns the year of the prerendered page, whose text React hydrates, or the current one. */
const yearOfPage = () => globalThis.window?.prerendered?.year ?? new Date().getFullYear();

/** The layout of every screen: the links of all screens, the content and the footer. */
export function Layout() {
  const [year] = useState(yearOfPage);
  // The types of this router depend on this component.
  const contentKey = useRouterState<AnyRouter, string | undefined>({
    select: ({ matches }) => matches.at(-1)?.routeId,
  });
  return (
    <Page
      contentKey={contentKey}
      navigation={
        <>
          {links.filter(({ variant }) => variant === 'nav').map(renderLink)}
          <LinkGroup>{links.filter(({ variant }) => variant !== 'nav').map(renderLink)}</LinkGroup>
        </>
      }
      footer={`© ${year} Tracker App. All rights reserved.`}
    >
      <Outlet />
    </Page>
  );
}

/** The second layout (LAYOUT-2). No route uses it (CHOICE-40). */
export function PlainLayout() {
  return (
    <PlainPage>
      <Outlet />
    </PlainPage>
  );
}
