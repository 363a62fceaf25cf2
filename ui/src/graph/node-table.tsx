/** All that is drawn, as a table beside it: made from the same graph, so that the two agree. */
import { State } from "../parts/badges";
import { OwnerLink } from "../parts/links";
import { Ago } from "../parts/time";
import { strings } from "../strings";
import { useActions } from "./actions";
import { labelOf } from "./labels";
import type { Graph, GraphNode, Health } from "./model";
import type { ListedNode } from "./path-order";
import { isFound, listNodes, sortNodes } from "./path-order";
import type { Sort, View } from "./view-state";

const words = strings.graph;

interface Props {
  view: View;
  graph: Graph;
  selected: string;
  health: ReadonlyMap<string, Health>;
  change: (part: Partial<View>, replace?: boolean) => void;
}

const COLUMNS: { sort: Sort; title: string }[] = [
  { sort: "name", title: strings.browse.name },
  { sort: "owner", title: words.owner },
  { sort: "state", title: words.runState },
  { sort: "hops", title: words.hop },
  { sort: "way", title: words.way },
];

export function NodeTable({ view, graph, selected, health, change }: Props) {
  const all = sortNodes(
    listNodes(graph, (node) => health.get(node.id)?.state ?? node.state ?? ""),
    view.order ?? "path",
  );
  const shown = view.find ? all.filter(({ node }) => isListed(node, view.find!)) : all;
  return (
    <>
      <p className="faint table-note" role="status">
        {view.find ? words.tableFound(shown.length, all.length) : words.tableHelp}
      </p>
      {view.order && (
        <button type="button" className="small" onClick={() => change({ order: undefined }, true)}>
          {words.pathOrder}
        </button>
      )}
      <table className="impact">
        <caption className="visually-hidden">{words.impact}</caption>
        <thead>
          <tr>
            {COLUMNS.map(({ sort, title }) => (
              <th key={sort} scope="col" aria-sort={view.order === sort ? "ascending" : undefined}>
                <button
                  type="button"
                  className="sort-button"
                  onClick={() => change({ order: view.order === sort ? undefined : sort }, true)}
                >
                  {title}
                  {view.order === sort && <span aria-hidden="true"> ↓</span>}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((one) => (
            <Row key={one.node.id} of={one} isSelected={one.node.id === selected} />
          ))}
        </tbody>
      </table>
      {shown.length === 0 && <p className="faint">{words.tableNone}</p>}
    </>
  );
}

/** Whether a node, or what is folded in it, is found. */
function isListed(node: GraphNode, text: string): boolean {
  if (!node.fan) return isFound(node, text);
  return [...node.fan.members, ...node.fan.behind].some((one) => isFound(one, text));
}

function Row({ of: { node, way, state }, isSelected }: { of: ListedNode; isSelected: boolean }) {
  const { reveal } = useActions();
  return (
    <tr className={isSelected ? "is-selected" : undefined}>
      <td>
        <button
          type="button"
          className="node-row"
          aria-pressed={isSelected}
          title={`${node.name}\n${node.namespace}`}
          onClick={() => reveal(node.id)}
        >
          <bdi className="name">{node.kind === "group" ? labelOf(node).name : node.name}</bdi>
          <bdi className="faint name">{node.namespace}</bdi>
        </button>
      </td>
      <td className="owners">
        {node.owners?.map((owner) => (
          <OwnerLink key={owner} name={owner} />
        ))}
      </td>
      <td>{state ? <State state={state} /> : node.at && <Ago time={node.at} />}</td>
      <td className="number">{node.distance}</td>
      <td className="faint">{words.ways[way]}</td>
    </tr>
  );
}
