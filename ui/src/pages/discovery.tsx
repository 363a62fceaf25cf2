/** What Kafka clusters have and nobody documented: by kind and cluster, and what they do not tell. */
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";

import { discovery } from "../api/queries";
import type { DiscoveredCluster, Discovery, FindingShape } from "../api/schema";
import { State } from "../parts/badges";
import { AcknowledgedChoice, Choice } from "../parts/choice";
import { DatasetLink, JobLink } from "../parts/links";
import { PageHead, Section } from "../parts/page";
import { Acknowledge, Known } from "../parts/problems";
import { Answer, Empty } from "../parts/states";
import { Ago, countOf } from "../parts/time";
import { strings } from "../strings";
import type { DiscoverySearch } from "./discovery-search";

const words = strings.discovery;

export function DiscoveryPage() {
  const search = useSearch({ from: "/discovery" });
  const query = useQuery(discovery({ ...search }));
  // Of all kinds, so that another can be chosen.
  const all = useQuery(discovery({ ...search, kind: undefined, limit: 0 }));
  return (
    <div className="page">
      <PageHead kind={words.kind} title={words.title}>
        <Link to="/drift" className="button">
          {strings.drift.title}
        </Link>
      </PageHead>
      {all.data && <Kinds of={all.data} search={search} />}
      {all.data && <Filters of={all.data.clusters} search={search} />}
      <Section title={search.acknowledged === "true" ? strings.problems.acknowledged : words.now}>
        <Answer of={query} lines={8}>
          {(found) => <Found of={found} search={search} />}
        </Answer>
      </Section>
      {all.data && <Clusters of={all.data.clusters} />}
    </div>
  );
}

function Found({ of, search }: { of: Discovery; search: DiscoverySearch }) {
  const more = of.totalCount - of.findings.length;
  const isFiltered = Boolean(search.kind || search.namespace || search.acknowledged);
  return (
    <>
      {of.findings.length === 0 ? (
        <Empty>{of.clusters.length === 0 ? words.noCluster : isFiltered ? words.noneMatch : words.calm}</Empty>
      ) : (
        <ul className="rows problem-rows">
          {of.findings.map((finding) => (
            <Row key={`${finding.kind} ${finding.id}`} of={finding} />
          ))}
        </ul>
      )}
      {more > 0 && <p className="faint">{words.more(more)}</p>}
      {!search.acknowledged && of.acknowledgedCount > 0 && (
        <p>
          <Link to="/discovery" search={{ ...search, acknowledged: "true" }}>
            {words.showKnown(of.acknowledgedCount)}
          </Link>
        </p>
      )}
    </>
  );
}

function Row({ of }: { of: FindingShape }) {
  return (
    <li>
      <State state={of.kind} />
      <span className="row-main">
        {of.type === "JOB" ? <JobLink of={of} system="kafka" /> : <DatasetLink of={of} />}
        <span className="faint wrap">
          <bdi>{of.reason}</bdi>
        </span>
        {of.acknowledged && <Known of={of.acknowledged} />}
        <span className="row-links">
          <Link to="/lineage" search={{ node: of.id }}>
            {strings.graph.title}
          </Link>
          <Acknowledge of={{ ...of, problem: of.kind }} isForGood />
        </span>
      </span>
      <Ago time={of.since} />
    </li>
  );
}

/** How many there are of each kind; each leads to them. */
function Kinds({ of: { counts }, search }: { of: Discovery; search: DiscoverySearch }) {
  const kinds = Object.entries(counts).filter(([kind, count]) => count > 0 || kind === search.kind);
  if (kinds.length === 0) return null;
  return (
    <ul className="counts" aria-label={words.kinds}>
      {kinds.map(([kind, count]) => (
        <li key={kind}>
          <Link
            to="/discovery"
            search={{ ...search, kind: kind === search.kind ? undefined : kind }}
            className="count-link"
            activeOptions={{ exact: true }}
            aria-current={kind === search.kind || undefined}
          >
            <span className="count">{countOf(count)}</span> <State state={kind} />
          </Link>
        </li>
      ))}
    </ul>
  );
}

function Filters({ of, search }: { of: DiscoveredCluster[]; search: DiscoverySearch }) {
  const navigate = useNavigate();
  const change = (part: DiscoverySearch) =>
    void navigate({ to: "/discovery", search: { ...search, ...part }, replace: true });
  return (
    <div className="form-row">
      <Choice
        label={words.cluster}
        value={search.namespace}
        of={of.map(({ namespace }) => namespace)}
        set={(namespace) => change({ namespace })}
      />
      <AcknowledgedChoice value={search.acknowledged} set={(acknowledged) => change({ acknowledged })} />
    </div>
  );
}

/** The clusters that were looked at; where one does not tell all, findings may be missing. */
function Clusters({ of }: { of: DiscoveredCluster[] }) {
  if (of.length === 0) return null;
  return (
    <Section title={words.clusters}>
      <ul className="rows">
        {of.map(({ namespace, topics, groups, gaps }) => (
          <li key={namespace}>
            <span className="row-main">
              <bdi className="mono">{namespace}</bdi>
              <span className="faint">{words.has(topics, groups)}</span>
              {gaps.map((gap) => (
                <span key={gap.name} className="wrap bad-text">
                  {words.untold(gap.name)} <bdi>{gap.description}</bdi>
                </span>
              ))}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
