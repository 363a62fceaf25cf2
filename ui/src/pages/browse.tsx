/** Everything there is, namespace by namespace. */
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { useState } from "react";

import { namespaces, namespacesOf } from "../api/queries";
import { SystemIcon } from "../parts/icons";
import { Section, useTitle } from "../parts/page";
import { Answer, Empty, Loading } from "../parts/states";
import { VirtualRows } from "../parts/virtual";
import { strings } from "../strings";
import { lookOf, systemOfNamespace } from "../systems";
import { firstPage, Things } from "./browse-list";

const words = strings.browse;
const FEW = 12;

export function BrowsePage() {
  useTitle(words.title);
  const { namespace: chosen, system } = useSearch({ from: "/browse" });
  const all = useQuery({ ...namespaces(), enabled: !system });
  const some = useQuery({ ...namespacesOf(system ?? ""), enabled: Boolean(system) });
  const query = system ? some : all;
  const shown = query.data?.namespaces.map(({ name }) => name) ?? [];
  const namespace = chosen ?? (shown.length === 1 ? shown[0] : undefined);
  return (
    <div className="page">
      <h1>{words.title}</h1>
      <div className="browse">
        <Section
          title={words.namespaces}
          note={
            system && (
              <Link to="/browse" search={{}}>
                {`${lookOf(system).label} ×`}
              </Link>
            )
          }
        >
          <Answer<unknown> of={query} lines={6}>
            {() => <Namespaces of={shown} here={namespace} />}
          </Answer>
        </Section>
        <div className="column-of-cards">
          {namespace === undefined ? (
            <Section title={words.title}>
              <Empty>{words.pick}</Empty>
            </Section>
          ) : (
            <Inside namespace={namespace} />
          )}
        </div>
      </div>
    </div>
  );
}

/** What is listed of a namespace: what was asked for; else datasets, or jobs where there are no datasets. */
function useKind(namespace: string): "job" | "dataset" | undefined {
  const { kind } = useSearch({ from: "/browse" });
  const datasets = useQuery({ ...firstPage(namespace, "datasets"), enabled: !kind });
  if (kind || datasets.isPending) return kind;
  return datasets.data?.total === 0 ? "job" : "dataset";
}

function Inside({ namespace }: { namespace: string }) {
  const { system } = useSearch({ from: "/browse" });
  const kind = useKind(namespace);
  return (
    <Section
      title={namespace}
      note={
        <span className="segments">
          <Link
            className="button"
            to="/browse"
            search={{ namespace, system, kind: "dataset" }}
            activeOptions={{ exact: true }}
            aria-current={kind === "dataset" || undefined}
          >
            {words.datasets}
          </Link>
          <Link
            className="button"
            to="/browse"
            search={{ namespace, system, kind: "job" }}
            aria-current={kind === "job" || undefined}
          >
            {words.jobs}
          </Link>
        </span>
      }
    >
      {kind ? (
        <Things key={`${namespace} ${kind}`} namespace={namespace} kind={kind === "job" ? "jobs" : "datasets"} />
      ) : (
        <Loading lines={8} />
      )}
    </Section>
  );
}

function Namespaces({ of, here }: { of: string[]; here: string | undefined }) {
  const { system } = useSearch({ from: "/browse" });
  const [text, setText] = useState("");
  const wanted = text.trim().toLowerCase();
  const shown = of.filter((name) => name.toLowerCase().includes(wanted));
  if (of.length === 0) return <Empty>{strings.home.emptyHelp}</Empty>;
  return (
    <>
      {of.length > FEW && (
        <div className="card-tools">
          <input
            type="search"
            value={text}
            placeholder={words.findNamespace}
            aria-label={words.findNamespace}
            onChange={(event) => setText(event.target.value)}
          />
        </div>
      )}
      {shown.length === 0 && <Empty>{words.noNamespace}</Empty>}
      <VirtualRows count={shown.length} height={36} most={560} label={words.namespaces}>
        {(index) => <NamespaceRow name={shown[index]!} isHere={shown[index] === here} system={system} />}
      </VirtualRows>
    </>
  );
}

function NamespaceRow({ name, isHere, system }: { name: string; isHere: boolean; system: string | undefined }) {
  return (
    <Link
      className={isHere ? "system-row here" : "system-row"}
      to="/browse"
      search={{ namespace: name, system }}
      title={name}
      aria-current={isHere || undefined}
    >
      <SystemIcon system={systemOfNamespace(name)} />
      <bdi className="name">{name}</bdi>
    </Link>
  );
}
