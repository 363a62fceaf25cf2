/** The addresses of the UI, the same as `PAGES` of `server/web/pages.py`; each page is loaded when first seen. */
import { QueryClient } from "@tanstack/react-query";
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";

import { ApiError } from "./api/client";
import { readView } from "./graph/view-state";
import { readChangesSearch } from "./pages/changes-search";
import { readDiscoverySearch } from "./pages/discovery-search";
import { HomePage } from "./pages/home";
import { readImpactSearch } from "./pages/impact-table";
import { readProblemsSearch } from "./pages/problems-search";
import { readTagSearch } from "./pages/tag-table";
import { Crash, Lost } from "./parts/crash";
import { Shell } from "./parts/shell";
import { validTime } from "./parts/zone";

type Raw = Record<string, string | undefined>;

const named = (raw: Raw) => ({ namespace: raw.namespace ?? "", name: raw.name ?? "" });

const root = createRootRoute({ component: Shell, errorComponent: Crash, notFoundComponent: Lost });
const home = createRoute({ getParentRoute: () => root, path: "/", component: HomePage });
const problems = createRoute({
  getParentRoute: () => root,
  path: "/problems",
  validateSearch: readProblemsSearch,
  component: lazyRouteComponent(() => import("./pages/problems"), "ProblemsPage"),
});
const discovery = createRoute({
  getParentRoute: () => root,
  path: "/discovery",
  validateSearch: readDiscoverySearch,
  component: lazyRouteComponent(() => import("./pages/discovery"), "DiscoveryPage"),
});
const drift = createRoute({
  getParentRoute: () => root,
  path: "/drift",
  component: lazyRouteComponent(() => import("./pages/drift"), "DriftPage"),
});
const changes = createRoute({
  getParentRoute: () => root,
  path: "/changes",
  validateSearch: readChangesSearch,
  component: lazyRouteComponent(() => import("./pages/changes"), "ChangesPage"),
});
const lineage = createRoute({
  getParentRoute: () => root,
  path: "/lineage",
  validateSearch: readView,
  component: lazyRouteComponent(() => import("./pages/lineage"), "LineagePage"),
});
const browse = createRoute({
  getParentRoute: () => root,
  path: "/browse",
  validateSearch: (raw: Raw): { namespace?: string; system?: string; kind?: "job" | "dataset" } => ({
    namespace: raw.namespace || undefined,
    system: raw.system || undefined,
    kind: raw.kind === "job" || raw.kind === "dataset" ? raw.kind : undefined,
  }),
  component: lazyRouteComponent(() => import("./pages/browse"), "BrowsePage"),
});
const dataset = createRoute({
  getParentRoute: () => root,
  path: "/dataset",
  validateSearch: (raw: Raw): { namespace: string; name: string; by?: string; asof?: string } => ({
    ...named(raw),
    by: raw.by || undefined,
    asof: validTime(raw.asof),
  }),
  component: lazyRouteComponent(() => import("./pages/dataset"), "DatasetPage"),
});
const column = createRoute({
  getParentRoute: () => root,
  path: "/column",
  validateSearch: (raw: Raw): { namespace: string; name: string; field: string; asof?: string } => ({
    ...named(raw),
    field: raw.field ?? "",
    asof: validTime(raw.asof),
  }),
  component: lazyRouteComponent(() => import("./pages/column"), "ColumnPage"),
});
const job = createRoute({
  getParentRoute: () => root,
  path: "/job",
  validateSearch: (raw: Raw): { namespace: string; name: string; by?: "minute" | "hour" | "day"; asof?: string } => ({
    ...named(raw),
    asof: validTime(raw.asof),
    by: raw.by === "minute" || raw.by === "hour" || raw.by === "day" ? raw.by : undefined,
  }),
  component: lazyRouteComponent(() => import("./pages/job"), "JobPage"),
});
const run = createRoute({
  getParentRoute: () => root,
  path: "/run",
  validateSearch: (raw: Raw) => ({ id: raw.id ?? "" }),
  component: lazyRouteComponent(() => import("./pages/run"), "RunPage"),
});
const events = createRoute({
  getParentRoute: () => root,
  path: "/events",
  validateSearch: (
    raw: Raw,
  ): { kind?: "rejected"; namespace?: string; run?: string; after?: string; before?: string; offset?: number } => ({
    kind: raw.kind === "rejected" ? "rejected" : undefined,
    namespace: raw.namespace || undefined,
    run: raw.run || undefined,
    after: raw.after || undefined,
    before: raw.before || undefined,
    offset: Number(raw.offset) > 0 ? Math.floor(Number(raw.offset)) : undefined,
  }),
  component: lazyRouteComponent(() => import("./pages/events"), "EventsPage"),
});

const impact = createRoute({
  getParentRoute: () => root,
  path: "/impact",
  validateSearch: readImpactSearch,
  component: lazyRouteComponent(() => import("./pages/impact"), "ImpactPage"),
});
const compare = createRoute({
  getParentRoute: () => root,
  path: "/compare",
  validateSearch: (raw: Raw): { namespace: string; name: string; a?: string; b?: string } => ({
    ...named(raw),
    a: raw.a || undefined,
    b: raw.b || undefined,
  }),
  component: lazyRouteComponent(() => import("./pages/compare"), "ComparePage"),
});
const owner = createRoute({
  getParentRoute: () => root,
  path: "/owner",
  validateSearch: (raw: Raw): { name?: string } => ({ name: raw.name || undefined }),
  component: lazyRouteComponent(() => import("./pages/owner"), "OwnerPage"),
});
const tag = createRoute({
  getParentRoute: () => root,
  path: "/tag",
  validateSearch: readTagSearch,
  component: lazyRouteComponent(() => import("./pages/tag"), "TagPage"),
});
const settings = createRoute({
  getParentRoute: () => root,
  path: "/settings",
  component: lazyRouteComponent(() => import("./pages/settings"), "SettingsPage"),
});
const collectors = createRoute({
  getParentRoute: () => root,
  path: "/collectors",
  component: lazyRouteComponent(() => import("./pages/collectors"), "CollectorsPage"),
});
const ingestions = createRoute({
  getParentRoute: () => root,
  path: "/ingestions",
  component: lazyRouteComponent(() => import("./pages/ingestions"), "IngestionsPage"),
});
const sql = createRoute({
  getParentRoute: () => root,
  path: "/sql",
  component: lazyRouteComponent(() => import("./pages/sql"), "SqlPage"),
});
const docs = createRoute({
  getParentRoute: () => root,
  path: "/docs",
  component: lazyRouteComponent(() => import("./pages/docs"), "DocsPage"),
});

/** How often what is on a page is read again. Answers that did not change cost their ETag alone. */
const REFRESH_MILLISECONDS = 60_000;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      retry: (count, error) => error instanceof ApiError && error.isPassing && count < 2,
      // A server that goes away or comes back is noticed without a reload; hidden tabs ask nothing.
      refetchInterval: (query) =>
        query.state.error instanceof ApiError && query.state.error.isPassing
          ? 10_000
          : !query.meta?.isStill && REFRESH_MILLISECONDS,
    },
  },
});

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    problems,
    discovery,
    drift,
    changes,
    lineage,
    browse,
    dataset,
    column,
    job,
    run,
    events,
    impact,
    compare,
    owner,
    tag,
    settings,
    collectors,
    ingestions,
    sql,
    docs,
  ]),
  defaultPreload: "intent",
  // Plain text on both sides: a link can be read, and a name such as `1` stays a name.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const told = Object.entries(search).filter(([, value]) => value !== undefined && value !== "" && value !== false);
    const query = new URLSearchParams(told.map(([key, value]) => [key, value === true ? "1" : String(value)]));
    const text = query.toString();
    return text ? `?${text}` : "";
  },
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
