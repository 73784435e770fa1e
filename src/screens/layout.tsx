import { createLink, Outlet } from '@tanstack/react-router';
import { useState } from 'react';
import { StyledLink } from '../ui/link.tsx';
import { Page, PlainPage } from '../ui/page.tsx';

export const Link = createLink(StyledLink);

/** Around every screen: the five links, always the same ones, the content, and the footer. */
export function Layout() {
  const [year] = useState(() => new Date().getFullYear());
  return (
    <Page
      navigation={
        <>
          <Link look="nav" to="/">
            Home
          </Link>
          <Link look="nav" to="/about">
            About
          </Link>
          <Link look="nav" to="/projects">
            Projects
          </Link>
          <Link look="outlined" to="/register">
            Sign up
          </Link>
          <Link look="filled" to="/login">
            Sign in
          </Link>
        </>
      }
      footer={`© ${year} Tracker App. All rights reserved.`}
    >
      <Outlet />
    </Page>
  );
}

/** The layout with an empty navigation area. No route of today uses it. */
export function PlainLayout() {
  return (
    <PlainPage>
      <Outlet />
    </PlainPage>
  );
}
