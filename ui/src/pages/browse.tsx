/** Everything there is, namespace by namespace. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";

import { pathOf, read } from "../api/client";
import { namespaces } from "../api/queries";
import type { DatasetList, JobList, NamespaceShape } from "../api/schema";
import { State } from "../parts/badges";
import { SystemIcon } from "../parts/icons";
import { DatasetLink, JobLink } from "../parts/links";
import { Section, useTitle } from "../parts/page";
import { Empty, Failure, Loading, Answer } from "../parts/states";
import { Ago } from "../parts/time";
import { VirtualRows } from "../parts/virtual";
import { systemOfNamespace } from "../systems";
import { strings } from "../strings";

const words = strings.browse;
const PAGE = 200;

export function BrowsePage() {
  useTitle(words.title);
  const { namespace, kind } = useSearch({ from: "/browse" });
  return (
    <div className="page">
      <h1>{words.title}</h1>
      <div className="browse">
        <Section title={words.namespaces}>
          <Namespaces />
        </Section>
        <div className="column-of-cards">
          {namespace === undefined ? (
            <Section title={words.title}>
              <Empty>{words.pick}</Empty>
            </Section>
          ) : (
            <Section
              title={namespace}
              note={
                <span className="segments">
                  <Link className="button" to="/browse" search={{ namespace }} aria-current={kind !== "job" || undefined}>
                    {words.datasets}
                  </Link>
                  <Link className="button" to="/browse" search={{ namespace, kind: "job" }} aria-current={kind === "job" || undefined}>
                    {words.jobs}
                  </Link>
                </span>
              }
            >
              <Things key={`${namespace} ${kind}`} namespace={namespace} kind={kind === "job" ? "jobs" : "datasets"} />
            </Section>
          )}
        </div>
      </div>
    </div>
  );
}

function Namespaces() {
  const { namespace, system } = useSearch({ from: "/browse" });
  const query = useQuery(namespaces());
  return (
    <Answer of={query} lines={6}>
      {({ namespaces }) => {
        const some = namespaces.filter(({ name }) => !system || systemOfNamespace(name) === system);
        const shown = some.length > 0 ? some : namespaces;
        if (shown.length === 0) return <Empty>{strings.home.emptyHelp}</Empty>;
        return (
          <VirtualRows count={shown.length} height={36} most={560} label={words.namespaces}>
            {(index) => <NamespaceRow of={shown[index]!} isHere={shown[index]!.name === namespace} system={system} />}
          </VirtualRows>
        );
      }}
    </Answer>
  );
}

function NamespaceRow({ of: { name }, isHere, system }: { of: NamespaceShape; isHere: boolean; system: string | undefined }) {
  return (
    <Link className={isHere ? "system-row here" : "system-row"} to="/browse" search={{ namespace: name, system }} title={name} aria-current={isHere || undefined}>
      <SystemIcon system={systemOfNamespace(name)} />
      <bdi className="name">{name}</bdi>
    </Link>
  );
}

interface Thing {
  namespace: string;
  name: string;
  updatedAt: string | null;
  latestRun?: { state: string } | null;
}

interface Page {
  things: Thing[];
  total: number;
}

function Things({ namespace, kind }: { namespace: string; kind: "datasets" | "jobs" }) {
  const query = useInfiniteQuery({
    queryKey: ["browse", namespace, kind],
    queryFn: async ({ pageParam, signal }): Promise<Page> => {
      const list = await read<Partial<DatasetList & JobList>>(`namespaces/${pathOf(namespace)}/${kind}`, { limit: PAGE, offset: pageParam }, signal);
      return { things: list[kind] ?? [], total: list.totalCount ?? 0 };
    },
    initialPageParam: 0,
    getNextPageParam: ({ things, total }, pages) => {
      const known = pages.reduce((sum, page) => sum + page.things.length, 0);
      return things.length > 0 && known < total ? known : undefined;
    },
  });
  if (query.isError) return <Failure error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <Loading lines={8} />;
  const things = query.data.pages.flatMap((page) => page.things);
  if (things.length === 0) return <Empty>{words.none}</Empty>;
  return (
    <>
      <VirtualRows count={things.length} height={40} most={560} label={words[kind]}>
        {(index) => <ThingRow of={things[index]!} kind={kind} />}
      </VirtualRows>
      <p className="card-tools">
        <span className="faint">{words.of(things.length, query.data.pages[0]!.total)}</span>
        {query.hasNextPage && (
          <button type="button" disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {words.more}
          </button>
        )}
      </p>
    </>
  );
}

function ThingRow({ of, kind }: { of: Thing; kind: "datasets" | "jobs" }) {
  return (
    <div className="browse-row">
      <span className="row-main">{kind === "jobs" ? <JobLink of={of} /> : <DatasetLink of={of} />}</span>
      {of.latestRun && <State state={of.latestRun.state} />}
      <Ago time={of.updatedAt} />
    </div>
  );
}
