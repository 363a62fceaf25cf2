/** How nodes are drawn: datasets as boxes with their columns, jobs as pills, groups as stacks. */
import type { Node, NodeProps } from "@xyflow/react";
import type { ReactNode } from "react";
import { memo } from "react";

import { nameOfState, toneOf } from "../parts/badges";
import { Icon, SystemIcon } from "../parts/icons";
import { agoOf } from "../parts/time";
import { strings } from "../strings";
import { lookOf } from "../systems";
import { useActions } from "./actions";
import { ColumnList } from "./column-list";
import type { OpenedColumns } from "./column-pages";
import { labelOf, partsOfName } from "./labels";
import type { GraphNode, Health } from "./model";
import type { Side } from "./view-state";

export interface DrawnData extends Record<string, unknown> {
  node: GraphNode;
  health: Health | undefined;
  opened: OpenedColumns | undefined;
  isFocus: boolean;
  isSelected: boolean;
  /** Sides that show something and can be collapsed. */
  hasShown: Record<Side, boolean>;
  marked: ReadonlySet<string>;
  /** Columns into which a value goes that is masked on the way. */
  masked: ReadonlySet<string>;
  /** Whether it, or what is folded in it, is what is looked for. */
  isFound: boolean;
  /** Of a fan: how many of its nodes have a problem, and the tone of the worst. */
  troubles?: { count: number; tone: string };
  /** How much passes through it, where that is asked for. */
  rate?: string;
  canExpand: boolean;
  /** The dataset's column whose path is shown, if it is this one's. */
  chosen: string;
}

export type DrawnNode = Node<DrawnData>;

/** By type; not `group`, which the library draws a box of its own around. */
export const nodeTypes = { dataset: memo(DatasetNode), job: memo(JobNode), stack: memo(GroupNode) };

function DatasetNode({ data }: NodeProps<DrawnNode>) {
  const { node, opened, canExpand } = data;
  const { toggleColumns } = useActions();
  return (
    <div className={classOf(data)} style={hueOf(node)}>
      <NodeHead data={data} size={22}>
        {canExpand && node.columns.length > 0 && (
          <button
            type="button"
            className="node-button"
            aria-expanded={Boolean(opened)}
            tabIndex={tabStopOf(data)}
            aria-label={`${opened ? strings.graph.hideColumns : strings.graph.showColumns} ${node.name}`}
            title={strings.graph.columns}
            onClick={(event) => {
              event.stopPropagation();
              toggleColumns(node.id);
            }}
          >
            <Icon name="columns" size={14} />
          </button>
        )}
      </NodeHead>
      {opened && <ColumnList data={data} opened={opened} />}
      {canExpand && <Sides data={data} />}
    </div>
  );
}

function JobNode({ data }: NodeProps<DrawnNode>) {
  const { node, canExpand } = data;
  return (
    <div className={classOf(data)} style={hueOf(node)}>
      <NodeHead data={data} size={20} />
      {canExpand && <Sides data={data} />}
    </div>
  );
}

function GroupNode({ data }: NodeProps<DrawnNode>) {
  const { node } = data;
  const { openGroup, select } = useActions();
  return (
    <div className={classOf(data)} style={hueOf(node)}>
      <button
        type="button"
        className="node-head"
        tabIndex={tabStopOf(data)}
        // A fan is looked into first: it may hold hundreds.
        onClick={() => (node.fan ? select(node.id) : openGroup(node.id))}
        title={node.fan ? strings.graph.fanMembers : strings.graph.openGroup}
      >
        <SystemIcon system={node.system} size={22} />
        <span className="node-text">
          <bdi className="node-name">{labelOf(node).name}</bdi>
          <span className="node-under">
            <InGroup data={data} />
          </span>
        </span>
        <Icon name="plus" size={14} />
      </button>
    </div>
  );
}

function InGroup({ data: { node, troubles } }: { data: DrawnData }) {
  if (troubles) {
    return (
      <>
        <span className={`dot ${troubles.tone}`} />
        <span className={`node-state ${troubles.tone}`}>{strings.graph.troubles(troubles.count)}</span>
      </>
    );
  }
  if (node.fan) return node.fan.behind.length > 0 ? strings.graph.fanBehind(node.fan.behind.length) : null;
  return (
    <>
      {strings.graph.groupOf(node.size ?? 0)}
      {node.state && <span className={`node-state ${toneOf(node.state)}`}>{nameOfState(node.state)}</span>}
    </>
  );
}

function NodeHead({ data, size, children }: { data: DrawnData; size: number; children?: ReactNode }) {
  const { select } = useActions();
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the graph's own element around it has the focus
    // biome-ignore lint/a11y/useKeyWithClickEvents: and answers to the keyboard
    <div className="node-head" onClick={() => select(data.node.id)}>
      <SystemIcon system={data.node.system} size={size} />
      <NodeName data={data} />
      {children}
    </div>
  );
}

function NodeName({ data }: { data: DrawnData }) {
  const { node, health, rate } = data;
  const { name, place } = labelOf(node);
  const [head, tail] = partsOfName(name);
  const tags = [...new Set([...node.tags, ...(node.columnTags ?? [])])];
  return (
    <span
      className="node-text"
      title={[node.name, node.namespace, health?.reason, node.gaps].filter(Boolean).join("\n")}
    >
      <span className="node-name">
        <bdi className="name-head">{head}</bdi>
        {tail && <bdi>{tail}</bdi>}
      </span>
      <bdi className="node-place">{place}</bdi>
      <span className="node-under">
        {rate ? <span className="node-rate">{rate}</span> : <Standing node={node} health={health} />}
        {tags.length > 0 && (
          <span className="node-tag" title={strings.graph.tags(node.tags, node.columnTags ?? [])}>
            <bdi className="name">{tags[0]}</bdi>
            {tags.length > 1 && <span>+{tags.length - 1}</span>}
          </span>
        )}
      </span>
    </span>
  );
}

/** How a node is doing: what is wrong comes first, then its state and when it was last heard of. */
function Standing({ node, health }: { node: GraphNode; health: Health | undefined }) {
  const state = health?.state ?? (node.kind === "job" ? node.state : null);
  const at = node.writtenAt ?? node.at;
  const when = at ? agoOf(at) : "";
  return (
    <>
      {node.change && <span className="node-change">{strings.changesPage.how[node.change]}</span>}
      {node.gaps && <span className="node-state warn">{strings.gaps.mark}</span>}
      {state && <span className={`dot ${toneOf(state)}`} />}
      {state && <span className={`node-state ${toneOf(state)}`}>{nameOfState(state)}</span>}
      <span className="name node-when">{when || (state ? "" : lookOf(node.system).label)}</span>
    </>
  );
}

function Sides({ data }: { data: DrawnData }) {
  return (
    <>
      <SideButton data={data} side="up" />
      <SideButton data={data} side="down" />
    </>
  );
}

/** The Tab key stops at the buttons of the selected node alone; arrows go from node to node. */
function tabStopOf({ isSelected }: DrawnData): 0 | -1 {
  return isSelected ? 0 : -1;
}

function SideButton({ data, side }: { data: DrawnData; side: Side }) {
  const { node, hasShown } = data;
  const { toggleSide } = useActions();
  const rest = node.rest[side];
  const canExpand = rest === null || rest > 0;
  if (!canExpand && !hasShown[side]) return null;
  const words = strings.graph;
  const label = canExpand
    ? side === "up"
      ? words.expandUp
      : words.expandDown
    : side === "up"
      ? words.collapseUp
      : words.collapseDown;
  const sign = canExpand ? `+${rest || ""}` : "−";
  return (
    <button
      type="button"
      className={`side-button ${side} ${canExpand ? "more" : "less"} nopan`}
      tabIndex={tabStopOf(data)}
      aria-label={`${sign} ${label} ${node.name}`}
      title={canExpand && rest ? words.more(rest) : label.replace(/ of$/, "")}
      onClick={() => toggleSide(node.id, side)}
    >
      {sign}
    </button>
  );
}

/** The tone of what is wrong with a node; nothing where nothing is. */
export function toneOfNode({ node, health, troubles }: DrawnData): string {
  if (troubles) return troubles.tone;
  return health ? toneOf(health.state) : node.state === "FAILED" ? "bad" : "";
}

function classOf(data: DrawnData): string {
  const { node, isFocus, isSelected, isFound } = data;
  const tone = toneOfNode(data);
  const change = node.change && `is-${node.change}`;
  return [
    "node",
    node.kind,
    isFocus && "focus",
    isSelected && "selected",
    isFound && "is-found",
    tone && `is-${tone}`,
    change,
  ]
    .filter(Boolean)
    .join(" ");
}

function hueOf(node: GraphNode): React.CSSProperties {
  return { "--hue": lookOf(node.system).hue } as React.CSSProperties;
}
