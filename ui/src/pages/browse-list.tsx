/** The datasets or jobs of a namespace: a list of any length, of which only the pages in view are asked for. */
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { pathOf, read } from "../api/client";
import type { DatasetList, JobList, SearchResults } from "../api/schema";
import { State } from "../parts/badges";
import { shownStateOf } from "../parts/facets";
import { DatasetLink, JobLink } from "../parts/links";
import { Answer, Empty } from "../parts/states";
import { Ago } from "../parts/time";
import { VirtualRows } from "../parts/virtual";
import { strings } from "../strings";

const words = strings.browse;
const PAGE = 100;
// A taller list is beyond what browsers can scroll; whoever has more looks by name.
const MOST_ROWS = 500_000;

export type Kind = "datasets" | "jobs";

interface Wanted {
  namespace: string;
  kind: Kind;
  /** Only what is found by these words. */
  text: string;
}

interface Thing {
  namespace: string;
  name: string;
  updatedAt: string | null;
  latestRun?: { state: string; facets?: Record<string, unknown> } | null;
}

interface Page {
  things: Thing[];
  total: number;
}

function pageOf(wanted: Wanted, number: number) {
  return queryOptions({
    queryKey: ["browse", wanted, number],
    queryFn: ({ signal }) =>
      (wanted.text ? readFound : readListed)(wanted, { limit: PAGE, offset: number * PAGE }, signal),
  });
}

/** The first page of all datasets or jobs of a namespace. */
export const firstPage = (namespace: string, kind: Kind) => pageOf({ namespace, kind, text: "" }, 0);

async function readListed(
  { namespace, kind }: Wanted,
  page: { limit: number; offset: number },
  signal: AbortSignal,
): Promise<Page> {
  const list = await read<Partial<DatasetList & JobList>>(`namespaces/${pathOf(namespace)}/${kind}`, page, signal);
  return { things: list[kind] ?? [], total: list.totalCount ?? 0 };
}

async function readFound(
  { namespace, kind, text }: Wanted,
  page: { limit: number; offset: number },
  signal: AbortSignal,
): Promise<Page> {
  const filter = kind === "jobs" ? "JOB" : "DATASET";
  const found = await read<SearchResults>("search", { q: text, namespace, filter, ...page }, signal);
  return { things: found.results, total: found.totalCount };
}

export function Things({ namespace, kind }: { namespace: string; kind: Kind }) {
  const [text, setText] = useState("");
  const wanted = { namespace, kind, text: text.trim() };
  const first = useQuery({ ...pageOf(wanted, 0), placeholderData: keepPreviousData });
  return (
    <>
      <div className="card-tools">
        <input
          type="search"
          value={text}
          placeholder={words.find[kind]}
          aria-label={words.find[kind]}
          onChange={(event) => setText(event.target.value)}
        />
        <span className="faint" role="status">
          {first.data && strings.home[kind](first.data.total)}
        </span>
      </div>
      <Answer of={first} lines={8}>
        {({ total }) =>
          total === 0 ? (
            <Empty>{wanted.text ? words.noneFound : words.none}</Empty>
          ) : (
            // Another list begins at its top.
            <VirtualRows
              key={wanted.text}
              count={Math.min(total, MOST_ROWS)}
              height={40}
              most={560}
              label={words[kind]}
            >
              {(index) => <Row wanted={wanted} index={index} />}
            </VirtualRows>
          )
        }
      </Answer>
    </>
  );
}

function Row({ wanted, index }: { wanted: Wanted; index: number }) {
  const { data, isError } = useQuery(pageOf(wanted, Math.floor(index / PAGE)));
  const thing = data?.things[index % PAGE];
  if (!thing) {
    return (
      <div className="browse-row">
        {isError ? <span className="faint">{strings.state.failed}</span> : !data && <span className="bone row-bone" />}
      </div>
    );
  }
  return (
    <div className="browse-row">
      <span className="row-main">{wanted.kind === "jobs" ? <JobLink of={thing} /> : <DatasetLink of={thing} />}</span>
      {thing.latestRun && <State state={shownStateOf(thing.latestRun)} />}
      <Ago time={thing.updatedAt} />
    </div>
  );
}
