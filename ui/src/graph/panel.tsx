/** Beside the drawing: what is known of the selected node, or all that is shown as a table. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { fieldId } from "../api/ids";
import { dataset, jobRuns } from "../api/queries";
import { State } from "../parts/badges";
import { GapNotice } from "../parts/gaps";
import { Icon } from "../parts/icons";
import { NamespaceLink, OwnerLink, RunLink, SystemLink, TagLink } from "../parts/links";
import { Fact, Facts } from "../parts/page";
import { flatten } from "../parts/schema-diff";
import { Answer, Empty } from "../parts/states";
import { Ago } from "../parts/time";
import { UpstreamHealth } from "../parts/upstream";
import { VirtualRows } from "../parts/virtual";
import { strings } from "../strings";
import { useActions } from "./actions";
import { How } from "./edges";
import { GraphMap } from "./graph-map";
import { GroupDetails } from "./group-details";
import { InferredNote, Legend } from "./legend";
import type { Column, ColumnEdge, Graph, GraphNode, Health } from "./model";
import { NodeTable } from "./node-table";
import type { View } from "./view-state";
import { sideKey, unpackList, without } from "./view-state";

const words = strings.graph;

interface Props {
  view: View;
  graph: Graph;
  columnEdges: ColumnEdge[];
  selected: GraphNode | undefined;
  health: Map<string, Health>;
  change: (part: Partial<View>, replace?: boolean) => void;
}

export function Panel(props: Props) {
  const { view, change, graph } = props;
  return (
    <aside className={view.table ? "panel is-table" : "panel"} aria-label={words.details}>
      <div className="tabs" role="tablist">
        <button type="button" role="tab" aria-selected={!view.table} onClick={() => change({ table: undefined })}>
          {words.details}
        </button>
        <button type="button" role="tab" aria-selected={Boolean(view.table)} onClick={() => change({ table: true })}>
          {words.table} ({graph.nodes.size})
        </button>
      </div>
      <div className="panel-body" role="tabpanel">
        {view.table ? <Table {...props} /> : props.selected ? <Details {...props} node={props.selected} /> : null}
      </div>
      <div className="panel-foot">
        {graph.nodes.size > 3 && <GraphMap />}
        <Legend isCompared={Boolean(view.since)} />
      </div>
    </aside>
  );
}

function Table(props: Props) {
  const { view, graph, columnEdges, selected } = props;
  if (view.column) return <ColumnImpact graph={graph} edges={columnEdges} />;
  return <NodeTable {...props} selected={selected?.id ?? ""} />;
}

function Details({ node, health, change, view, graph, columnEdges }: Props & { node: GraphNode }) {
  if (node.kind === "group") return <GroupDetails node={node} health={health} />;
  const trouble = health.get(node.id);
  const page = node.kind === "job" ? "/job" : "/dataset";
  return (
    <>
      <p className="kind">{node.kind === "job" ? strings.kinds.job : strings.kinds.dataset}</p>
      <h2 className="wrap">
        <bdi>{node.name}</bdi>
      </h2>
      <p className="faint wrap">
        <NamespaceLink name={node.namespace} />
      </p>
      {trouble && (
        <p className="notice" role="note">
          <State state={trouble.state} /> {trouble.reason}
        </p>
      )}
      {!view.asof && <UpstreamHealth id={node.id} />}
      {node.gaps ? <GapNotice summary={node.gaps} /> : node.isIncomplete && <GapNotice />}
      <InferredNote graph={graph} columnEdges={columnEdges} id={node.id} />
      <div className="actions">
        <Link
          to={page}
          search={{ namespace: node.namespace, name: node.name, asof: view.asof }}
          className="button primary"
        >
          <Icon name="open" />
          {words.openPage}
        </Link>
        <Link to="/impact" search={{ node: subjectOf(node, view), asof: view.asof }} className="button">
          {strings.impact.button}
        </Link>
        {(view.since || view.asof) && (
          <Link
            to="/changes"
            search={
              view.since ? { node: node.id, from: view.since, to: view.asof } : { node: node.id, from: view.asof }
            }
            className="button"
          >
            {strings.time.list}
          </Link>
        )}
        <FoldAgain node={node} view={view} change={change} />
        {node.id !== view.node && (
          <button
            type="button"
            onClick={() =>
              change({
                node: node.id,
                open: undefined,
                closed: undefined,
                at: undefined,
                column: undefined,
                to: undefined,
              })
            }
          >
            <Icon name="target" />
            {words.focus}
          </button>
        )}
      </div>
      <Facts>
        <Fact name={words.system}>
          <SystemLink name={node.system} />
        </Fact>
        <Fact name={words.runState}>{node.state && <State state={node.state} />}</Fact>
        {node.writtenAt !== undefined && (
          <Fact name={strings.dataset.written}>
            <Ago time={node.writtenAt} />
          </Fact>
        )}
        <Fact name={node.kind === "job" ? strings.job.heartbeat : strings.dataset.seen}>
          {node.at && <Ago time={node.at} />}
        </Fact>
        <Fact name={words.tag}>{node.tags.length > 0 && node.tags.map((tag) => <TagLink key={tag} name={tag} />)}</Fact>
        <Fact name={words.owner}>
          {node.owners?.map((owner) => (
            <OwnerLink key={owner} name={owner} />
          ))}
        </Fact>
      </Facts>
      {node.kind === "job" ? (
        <LastRuns of={node} />
      ) : view.column || view.to ? (
        <AllColumns of={node} chosen={view.column} />
      ) : (
        <Columns of={node} columns={node.columns} chosen={view.column} />
      )}
    </>
  );
}

/** What a change is about: the column of which the path is shown, at its own dataset. */
function subjectOf(node: GraphNode, { column }: View): string {
  return column?.startsWith(fieldId(node, "")) ? column : node.id;
}

/** Folds what was unfolded at a node. */
function FoldAgain({ node, view, change }: Pick<Props, "view" | "change"> & { node: GraphNode }) {
  const keys = (["up", "down"] as const).map((side) => sideKey(node.id, side));
  if (!keys.some((key) => unpackList(view.unfold).includes(key))) return null;
  return (
    <button type="button" onClick={() => change({ unfold: keys.reduce<string | undefined>(without, view.unfold) })}>
      {words.foldAgain}
    </button>
  );
}

function LastRuns({ of }: { of: GraphNode }) {
  const runs = useQuery(jobRuns(of, 6));
  return (
    <>
      <h3>{strings.job.runs}</h3>
      <Answer of={runs}>
        {({ runs }) =>
          runs.length === 0 ? (
            <Empty>{strings.job.noRuns}</Empty>
          ) : (
            <ul className="rows tight">
              {runs.map((run) => (
                <li key={run.id}>
                  <State state={run.state} />
                  <RunLink id={run.id} />
                  <Ago time={run.endedAt ?? run.startedAt ?? run.updatedAt} />
                </li>
              ))}
            </ul>
          )
        }
      </Answer>
    </>
  );
}

/** On a path a node has only the columns on it: the others are read. */
function AllColumns({ of: node, chosen }: { of: GraphNode; chosen: string | undefined }) {
  const query = useQuery(dataset(node));
  return (
    <Answer of={query}>
      {({ fields }) => (
        <Columns
          of={node}
          columns={flatten(fields).map(({ path, field }) => ({ name: path, type: field.type }))}
          chosen={chosen}
        />
      )}
    </Answer>
  );
}

function Columns({ of: node, columns, chosen }: { of: GraphNode; columns: Column[]; chosen: string | undefined }) {
  const { choosePath } = useActions();
  return (
    <>
      <h3>{words.columns}</h3>
      {columns.length === 0 && <Empty>{words.noColumns}</Empty>}
      <VirtualRows count={columns.length} height={28} most={340} label={words.columns}>
        {(index) => {
          const { name, type } = columns[index]!;
          const isChosen = Boolean(chosen?.endsWith(`:${node.name}:${name}`));
          return (
            <button
              type="button"
              className={isChosen ? "column-button chosen" : "column-button"}
              aria-pressed={isChosen}
              onClick={() => choosePath(node.id, name)}
            >
              <bdi className="name mono">{name}</bdi>
              <span className="column-type">{type}</span>
            </button>
          );
        }}
      </VirtualRows>
    </>
  );
}

function ColumnImpact({ graph, edges }: { graph: Graph; edges: ColumnEdge[] }) {
  const name = (id: string) => graph.nodes.get(id)?.name ?? id;
  return (
    <>
      <p className="faint">
        {words.impactColumns}: {edges.length.toLocaleString()}
      </p>
      <VirtualRows count={edges.length} height={74} most={560} label={words.impactColumns}>
        {(index) => {
          const edge = edges[index]!;
          return (
            <div className="edge-row">
              <span className="name mono" title={name(edge.from.dataset)}>
                <bdi>{[name(edge.from.dataset), edge.from.field].filter(Boolean).join(".")}</bdi>
              </span>
              <span className="name mono" title={name(edge.to.dataset)}>
                → <bdi>{[name(edge.to.dataset), edge.to.field].filter(Boolean).join(".")}</bdi>
              </span>
              <span className="faint name">
                <How of={edge} />
                {edge.job && ` ${words.by} ${edge.job.name}`}
              </span>
            </div>
          );
        }}
      </VirtualRows>
    </>
  );
}
