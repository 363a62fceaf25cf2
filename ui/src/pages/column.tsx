/** A column: what it is made from and what is made from it, one step or all the way. */
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";

import { fieldId } from "../api/ids";
import type { Direction } from "../api/queries";
import { columnLineage, dataset, edits } from "../api/queries";
import type { ColumnGraphShape } from "../api/schema";
import { columnEdges, gapsOf } from "../graph/columns";
import { How } from "../graph/edges";
import type { ColumnEdge } from "../graph/model";
import { AsOfChoice, AsOfNotice } from "../parts/as-of";
import { EditDetails } from "../parts/edit-details";
import { GapsOfJobs } from "../parts/gaps";
import { Icon, SystemIcon } from "../parts/icons";
import { ColumnLink, DatasetLink, JobLink, NamespaceLink, TagLink } from "../parts/links";
import { useIsNarrow } from "../parts/narrow";
import { Fact, Facts, PageHead, Section } from "../parts/page";
import { flatten } from "../parts/schema-diff";
import { Answer, Empty } from "../parts/states";
import { VirtualRows } from "../parts/virtual";
import { strings } from "../strings";
import { systemOfNamespace } from "../systems";

const words = strings.column;
const ALL = 20;

export function ColumnPage() {
  const { namespace, name, field, asof } = useSearch({ from: "/column" });
  const named = { namespace, name };
  const id = fieldId(named, field);
  const up = useQuery(columnLineage(id, "upstream", ALL, true, asof));
  const own = up.data?.graph.find((node) => node.data.field === field && node.distance === 0);
  // What people and producers say of it now is not what they said then.
  const its = useQuery({ ...dataset(named), enabled: !asof });
  const told = asof ? undefined : its.data && flatten(its.data.fields).find(({ path }) => path === field)?.field;
  // By the last edit that this page shows, an edit of it overwrites nobody's.
  useQuery(edits("dataset", named));
  const navigate = useNavigate();
  return (
    <div className="page">
      <PageHead
        kind={words.title}
        icon={<SystemIcon system={systemOfNamespace(namespace)} />}
        title={field}
        under={name}
      >
        <button
          type="button"
          className="primary"
          onClick={() =>
            void navigate({ to: "/lineage", search: { node: `dataset:${namespace}:${name}`, column: id, asof } })
          }
        >
          <Icon name="graph" />
          {words.path}
        </button>
        <Link to="/impact" search={{ node: id, asof }} className="button">
          {strings.impact.button}
        </Link>
        <AsOfChoice />
        {told && (
          <EditDetails
            entity={{ type: "dataset", namespace, name, field }}
            before={{ description: told.description ?? "", owners: "", tags: told.tags }}
          />
        )}
      </PageHead>
      {asof && <AsOfNotice time={asof} />}
      <section className="card" aria-label={strings.graph.details}>
        {told?.description && <p className="wrap">{told.description}</p>}
        <Facts>
          <Fact name={words.dataset}>
            <DatasetLink of={named} />
          </Fact>
          <Fact name={strings.graph.namespace}>
            <NamespaceLink name={namespace} />
          </Fact>
          <Fact name={strings.dataset.type}>
            {own?.data.fieldType && <span className="mono">{own.data.fieldType}</span>}
          </Fact>
          <Fact name={strings.dataset.tags}>
            {told && told.tags.length > 0 && told.tags.map((tag) => <TagLink key={tag} name={tag} />)}
          </Fact>
        </Facts>
      </section>
      <Edges title={words.sources} none={words.noSources} id={id} direction="upstream" asOf={asof} />
      <Edges title={words.targets} none={words.noTargets} id={id} direction="downstream" asOf={asof} />
    </div>
  );
}

interface Props {
  title: string;
  none: string;
  id: string;
  direction: Direction;
  asOf: string | undefined;
}

function Edges({ title, none, id, direction, asOf }: Props) {
  const query = useQuery(columnLineage(id, direction, ALL, true, asOf));
  const isNarrow = useIsNarrow();
  return (
    <Section title={title} note={direction === "upstream" ? words.allUp : words.allDown}>
      <Answer of={query}>
        {(answer) => {
          const edges = nearestFirst(answer, direction);
          return (
            <>
              <GapsOfJobs of={gapsOf(answer)} />
              {edges.length === 0 ? (
                <Empty>{none}</Empty>
              ) : (
                <VirtualRows count={edges.length} height={isNarrow ? 104 : 60} most={540} label={title}>
                  {(index) => <EdgeRow edge={edges[index]!} answer={answer} direction={direction} />}
                </VirtualRows>
              )}
            </>
          );
        }}
      </Answer>
    </Section>
  );
}

function nearestFirst(answer: ColumnGraphShape, direction: Direction): ColumnEdge[] {
  const distances = new Map(
    answer.graph.map(({ data, distance }) => [endName(data.namespace, data.dataset, data.field), distance]),
  );
  const end = (edge: ColumnEdge) => (direction === "upstream" ? edge.from : edge.to);
  const away = (edge: ColumnEdge) => distances.get(`${end(edge).dataset}\n${end(edge).field}`) ?? 0;
  // Downstream, what else an output is made from is no part of the way.
  const isOnWay = (edge: ColumnEdge) => distances.has(`${edge.from.dataset}\n${edge.from.field}`);
  return columnEdges(answer)
    .filter(isOnWay)
    .sort((a, b) => away(a) - away(b));
}

const endName = (namespace: string, dataset: string, field: string) => `dataset:${namespace}:${dataset}\n${field}`;

function EdgeRow({ edge, answer, direction }: { edge: ColumnEdge; answer: ColumnGraphShape; direction: Direction }) {
  const end = direction === "upstream" ? edge.from : edge.to;
  const other = direction === "upstream" ? edge.to : edge.from;
  const node = answer.graph.find(
    ({ data }) => endName(data.namespace, data.dataset, data.field) === `${end.dataset}\n${end.field}`,
  );
  const named = { namespace: node?.data.namespace ?? "", name: node?.data.dataset ?? end.dataset };
  return (
    <div className="edge-row">
      <span className="edge-line">
        <DatasetLink of={named} />
        <span className="name">
          {end.field && <ColumnLink of={named} field={end.field} />}{" "}
          <span className="faint">
            {direction === "upstream" ? "→" : "←"} <bdi className="mono">{other.field}</bdi>
          </span>
        </span>
      </span>
      <span className="edge-line faint">
        <How of={edge} />
        {edge.job && <JobLink of={edge.job} />}
      </span>
    </div>
  );
}
