/** A dataset: its columns and where they come from, who writes and reads it, how much, and since when. */
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";

import { datasetId } from "../api/ids";
import type { Named } from "../api/ids";
import { dataset, datasetHealth } from "../api/queries";
import type { DatasetShape } from "../api/schema";
import { State, System, Tag } from "../parts/badges";
import { aliasesOf, assertionsOf, metricsOf, ownersOf } from "../parts/facets";
import { Icon, SystemIcon } from "../parts/icons";
import { Facts, PageHead, Section } from "../parts/page";
import { useNoteViewed } from "../parts/recent";
import { Answer, Empty } from "../parts/states";
import { Ago } from "../parts/time";
import { JsonView } from "../parts/tree";
import { systemOfNamespace } from "../systems";
import { strings } from "../strings";
import { Schema } from "./dataset-schema";
import { Usage } from "./dataset-usage";
import { Versions } from "./dataset-versions";
import { Volume } from "./dataset-volume";

const words = strings.dataset;

export function DatasetPage() {
  const { namespace, name, by } = useSearch({ from: "/dataset" });
  const named = { namespace, name };
  const query = useQuery(dataset(named));
  useNoteViewed(query.data && { kind: "dataset", ...named });
  return (
    <div className="page">
      <PageHead
        kind={strings.kinds.dataset}
        icon={<SystemIcon system={systemOfNamespace(namespace)} />}
        title={name || namespace}
        under={namespace}
      >
        <Link to="/lineage" search={{ node: datasetId(named) }} className="button primary">
          <Icon name="graph" />
          {words.lineage}
        </Link>
      </PageHead>
      <Answer of={query} lines={8}>
        {(found) => <Found of={found} named={named} by={by} />}
      </Answer>
    </div>
  );
}

function Found({ of, named, by }: { of: DatasetShape; named: Named; by: string | undefined }) {
  return (
    <>
      {of.deleted && <p className="notice">{words.deleted}</p>}
      <About of={of} named={named} />
      <Schema of={of} />
      <div className="two">
        <Volume id={datasetId(named)} named={named} by={by} />
        <Usage id={datasetId(named)} />
      </div>
      <div className="two">
        <Versions named={named} />
        <Quality of={of} />
      </div>
      <Section title={words.facets}>
        <JsonView value={of.facets} name={`${of.name}.facets`} />
      </Section>
    </>
  );
}

function About({ of, named }: { of: DatasetShape; named: Named }) {
  const health = useQuery(datasetHealth({ namespace: named.namespace, all: true }));
  const own = health.data?.datasets.find(({ name }) => name === named.name);
  const owners = ownersOf(of.facets);
  const aliases = aliasesOf(of.facets);
  return (
    <section className="card" aria-label={strings.graph.details}>
      {of.description && <p className="wrap">{of.description}</p>}
      {own && !["fresh", "unknown"].includes(own.state) && (
        <p className="notice">
          <State state={own.state} /> {own.reason}
        </p>
      )}
      <Facts
        of={[
          [strings.graph.system, <System name={systemOfNamespace(of.namespace)} />],
          [words.state, own && <State state={own.state} />],
          [words.written, <Ago time={of.lastModifiedAt} />],
          [words.seen, <Ago time={of.updatedAt} />],
          [words.lifecycle, of.lastLifecycleState],
          [words.owners, owners.join("; ")],
          [words.tags, of.tags.length > 0 && of.tags.map((tag) => <Tag key={tag} name={tag} />)],
          [words.aliases, aliases.map(({ namespace, name }) => `${name} (${namespace})`).join("; ")],
        ]}
      />
    </section>
  );
}

function Quality({ of }: { of: DatasetShape }) {
  const assertions = assertionsOf(of.facets);
  const metrics = metricsOf(of.facets);
  return (
    <Section title={words.quality}>
      {assertions.length + metrics.length === 0 && <Empty>{words.noQuality}</Empty>}
      {assertions.length > 0 && (
        <ul className="rows tight">
          {assertions.map(({ name, column, isPassed }, index) => (
            <li key={index}>
              <span className={`state ${isPassed ? "good" : "bad"}`}>{isPassed ? words.passed : words.notPassed}</span>
              <span className="wrap">
                {name} {column && <span className="mono">{column}</span>}
              </span>
            </li>
          ))}
        </ul>
      )}
      {metrics.length > 0 && <Facts of={metrics.slice(0, 40)} />}
    </Section>
  );
}
