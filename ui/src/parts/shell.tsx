/** What is around every page: the way home, search, the other pages, light and dark. */
import { Link, Outlet, useRouterState } from "@tanstack/react-router";

import { strings } from "../strings";
import { Icon } from "./icons";
import { KeyEntry } from "./key-entry";
import { LiveStatus } from "./live-status";
import { SaveView } from "./save-view";
import { SiteSearch } from "./search";
import { ThemeButton } from "./theme";
import { Unreachable } from "./unreachable";

const PAGES = [
  ["/problems", strings.nav.problems],
  ["/changes", strings.nav.changes],
  ["/lineage", strings.nav.lineage],
  ["/browse", strings.nav.browse],
  ["/events", strings.nav.events],
  ["/sql", strings.nav.sql],
  ["/docs", strings.nav.api],
] as const;

/** Whether lineage has no node yet, and so a search of its own in the middle. */
function isPicking({ pathname, search }: { pathname: string; search: { node?: string; column?: string } }): boolean {
  return pathname === "/lineage" && !search.node && !search.column;
}

export function Shell() {
  const hasOwnSearch = useRouterState({ select: ({ location }) => isPicking(location) });
  return (
    <>
      <a className="skip" href="#content">
        {strings.nav.skip}
      </a>
      <header className="bar">
        <Link to="/" className="brand" aria-label={strings.product}>
          <img src="/icon.svg" alt="" width={26} height={26} />
          <span>{strings.product}</span>
        </Link>
        {hasOwnSearch ? <span className="space" /> : <SiteSearch />}
        <nav aria-label={strings.nav.pages}>
          {PAGES.map(([to, label]) => (
            <Link
              key={to}
              to={to}
              // Swagger UI is large: only for who goes there.
              preload={to === "/docs" ? false : undefined}
              activeProps={{ className: "here", "aria-current": "page" }}
              activeOptions={{ includeSearch: false }}
            >
              {label}
            </Link>
          ))}
          <LiveStatus />
          <SaveView />
          <ThemeButton />
          <Link
            to="/settings"
            className="icon-link"
            aria-label={strings.settings.title}
            title={strings.settings.title}
            activeProps={{ className: "here", "aria-current": "page" }}
          >
            <Icon name="settings" />
          </Link>
        </nav>
      </header>
      <Unreachable />
      <main id="content" tabIndex={-1}>
        <Outlet />
      </main>
      <KeyEntry />
    </>
  );
}
