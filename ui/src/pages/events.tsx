/** Events as they came, and those that were refused, with why. */
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";

import { events, rejected } from "../api/queries";
import type { EventList, RejectedList, RejectedShape } from "../api/schema";
import { State } from "../parts/badges";
import { JobLink, RunLink } from "../parts/links";
import { Section, useTitle } from "../parts/page";
import { Answer, Empty } from "../parts/states";
import { Ago, bytesOf, exactOf } from "../parts/time";
import { JsonView } from "../parts/tree";
import { fromInput, toInput, zoneName } from "../parts/zone";
import { strings } from "../strings";
import { Tail } from "./events-tail";

const words = strings.events;
const PAGE = 50;

export function EventsPage() {
  useTitle(words.title);
  const { kind } = useSearch({ from: "/events" });
  return (
    <div className="page">
      <div className="page-head">
        <h1>{words.title}</h1>
        <span className="segments">
          <Link
            className="button"
            to="/events"
            search={{}}
            activeOptions={{ exact: true }}
            aria-current={!kind || undefined}
          >
            {words.accepted}
          </Link>
          <Link
            className="button"
            to="/events"
            search={{ kind: "rejected" }}
            aria-current={kind === "rejected" || undefined}
          >
            {words.rejected}
          </Link>
        </span>
      </div>
      {kind === "rejected" ? <Rejected /> : <Accepted />}
    </div>
  );
}

function Accepted() {
  const { namespace, run, after, before, offset = 0 } = useSearch({ from: "/events" });
  const query = useQuery(events({ namespace, runId: run, after, before, limit: PAGE, offset }));
  const isNewest = offset === 0 && !before;
  return (
    <>
      <Filters />
      <Section title={words.accepted} note={isNewest && <Tail readAgain={() => void query.refetch()} />}>
        <Answer of={query} lines={8}>
          {(list) =>
            list.events.length === 0 ? <Empty>{words.none}</Empty> : <EventTable list={list} offset={offset} />
          }
        </Answer>
      </Section>
    </>
  );
}

function Filters() {
  const search = useSearch({ from: "/events" });
  const navigate = useNavigate();
  function apply(form: FormData) {
    const value = (name: string) => String(form.get(name) ?? "").trim() || undefined;
    void navigate({
      to: "/events",
      search: {
        namespace: value("namespace"),
        run: value("run"),
        after: fromInput(value("after")),
        before: fromInput(value("before")),
      },
    });
  }
  return (
    <form className="form-row" action={apply} key={JSON.stringify(search)}>
      <label>
        {words.namespace}
        <input name="namespace" defaultValue={search.namespace} />
      </label>
      <label>
        {words.run}
        <input name="run" defaultValue={search.run} />
      </label>
      <label>
        {words.after} ({zoneName()})
        <input name="after" type="datetime-local" defaultValue={toInput(search.after)} />
      </label>
      <label>
        {words.before} ({zoneName()})
        <input name="before" type="datetime-local" defaultValue={toInput(search.before)} />
      </label>
      <button type="submit">{strings.graph.filters}</button>
      {Object.values(search).some(Boolean) && (
        <Link className="button quiet-button" to="/events" search={{}}>
          {words.clear}
        </Link>
      )}
    </form>
  );
}

interface Shell {
  eventType?: unknown;
  eventTime?: unknown;
  run?: { runId?: unknown };
  job?: { namespace?: unknown; name?: unknown };
  dataset?: { namespace?: unknown; name?: unknown };
  inputs?: unknown[];
  outputs?: unknown[];
}

function EventTable({ list, offset }: { list: EventList; offset: number }) {
  const [open, setOpen] = useState<number>();
  return (
    <>
      <div className="scroll">
        <table className="events-table">
          <thead>
            <tr>
              <th scope="col">{words.when}</th>
              <th scope="col">{words.kind}</th>
              <th scope="col">{words.job}</th>
              <th scope="col">{words.run}</th>
              <th scope="col" className="num">
                {words.inputs}
              </th>
              <th scope="col" className="num">
                {words.outputs}
              </th>
              <th scope="col">
                <span className="visually-hidden">{words.open}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {list.events.map((event, index) => (
              <EventRow
                key={index}
                event={event as Shell}
                isOpen={open === index}
                toggle={() => setOpen(open === index ? undefined : index)}
              />
            ))}
          </tbody>
        </table>
      </div>
      <Pages offset={offset} shown={list.events.length} total={list.totalCount} />
    </>
  );
}

function EventRow({ event, isOpen, toggle }: { event: Shell; isOpen: boolean; toggle: () => void }) {
  const job = { namespace: String(event.job?.namespace ?? ""), name: String(event.job?.name ?? "") };
  return (
    <>
      <tr>
        <td>
          <time dateTime={String(event.eventTime)}>{exactOf(String(event.eventTime))}</time>
        </td>
        <td>
          {event.eventType ? (
            <State state={String(event.eventType)} />
          ) : (
            <span className="faint">{event.dataset ? strings.kinds.dataset : "–"}</span>
          )}
        </td>
        <td>{job.name ? <JobLink of={job} /> : <span className="wrap">{String(event.dataset?.name ?? "")}</span>}</td>
        <td>{event.run?.runId ? <RunLink id={String(event.run.runId)} /> : "–"}</td>
        <td className="num">{event.inputs?.length ?? 0}</td>
        <td className="num">{event.outputs?.length ?? 0}</td>
        <td>
          <button type="button" aria-expanded={isOpen} onClick={toggle}>
            {isOpen ? words.closeEvent : words.open}
          </button>
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={7} className="event-open">
            <JsonView value={event} name={`event-${String(event.eventTime)}`} />
          </td>
        </tr>
      )}
    </>
  );
}

function Rejected() {
  const { offset = 0 } = useSearch({ from: "/events" });
  const query = useQuery(rejected({ limit: PAGE, offset }));
  return (
    <Section title={words.rejected}>
      <Answer of={query} lines={8}>
        {(list) =>
          list.rejected.length === 0 ? (
            <Empty>{words.noneRejected}</Empty>
          ) : (
            <RejectedRows list={list} offset={offset} />
          )
        }
      </Answer>
    </Section>
  );
}

function RejectedRows({ list, offset }: { list: RejectedList; offset: number }) {
  return (
    <>
      <ul className="rows">
        {list.rejected.map((one) => (
          <li key={one.id}>
            <RejectedOne of={one} />
            <Ago time={one.receivedAt} />
          </li>
        ))}
      </ul>
      <Pages offset={offset} shown={list.rejected.length} total={list.totalCount} />
    </>
  );
}

function RejectedOne({ of }: { of: RejectedShape }) {
  return (
    <span className="row-main">
      <span className="wrap">
        <span className="mono">{of.path}</span> {of.reason}
      </span>
      <span className="faint wrap">
        {words.source} {of.source}, {bytesOf(of.size)}
      </span>
      <details>
        <summary>{words.payload}</summary>
        <pre tabIndex={0}>{of.payload}</pre>
      </details>
    </span>
  );
}

function Pages({ offset, shown, total }: { offset: number; shown: number; total: number }) {
  const turn = (to: number) => (before: object) => ({ ...before, offset: to > 0 ? to : undefined });
  return (
    <div className="card-tools after-table">
      <span className="faint">{words.page(offset + 1, offset + shown, total)}</span>
      {offset > 0 && (
        <Link className="button" to="/events" search={turn(offset - PAGE)}>
          {words.newer}
        </Link>
      )}
      {offset + shown < total && (
        <Link className="button" to="/events" search={turn(offset + PAGE)}>
          {words.older}
        </Link>
      )}
    </div>
  );
}
