/** How nodes are drawn: datasets as boxes with their columns, jobs as pills, groups as stacks. */
import type { Node, NodeProps } from "@xyflow/react";
import type { ReactNode } from "react";
import { memo } from "react";

import { shortName } from "../api/ids";
import { toneOf } from "../parts/badges";
import { Icon, SystemIcon } from "../parts/icons";
import { agoOf } from "../parts/time";
import { strings } from "../strings";
import { lookOf } from "../systems";
import { useActions } from "./actions";
import { ColumnList } from "./column-list";
import type { GraphNode } from "./model";
import type { OpenedColumns } from "./opened";
import type { Health } from "./use-lineage";
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
  canExpand: boolean;
  /** The dataset's column whose path is shown, if it is this one's. */
  chosen: string;
}

export type DrawnNode = Node<DrawnData>;

export const nodeTypes = { dataset: memo(DatasetNode), job: memo(JobNode), group: memo(GroupNode) };

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
  const { openGroup } = useActions();
  return (
    <div className={classOf(data)} style={hueOf(node)}>
      <button type="button" className="node-head" onClick={() => openGroup(node.id)} title={strings.graph.openGroup}>
        <SystemIcon system={node.system} size={22} />
        <span className="node-text">
          <span className="node-name">{lookOf(node.name).label}</span>
          <span className="node-under">{strings.graph.groupOf(node.size ?? 0)}</span>
        </span>
        <Icon name="plus" size={14} />
      </button>
    </div>
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

function NodeName({ data: { node, health } }: { data: DrawnData }) {
  return (
    <span className="node-text" title={`${node.name}\n${node.namespace}${health ? `\n${health.reason}` : ""}`}>
      <bdi className="node-name">{shortName(node.name)}</bdi>
      <span className="node-under">
        <Standing node={node} health={health} />
      </span>
    </span>
  );
}

/** How a node is doing: what is wrong comes first, then its state and when it was last heard of. */
function Standing({ node, health }: { node: GraphNode; health: Health | undefined }) {
  const state = health?.state ?? (node.kind === "job" ? node.state : null);
  const when = node.at ? agoOf(node.at) : "";
  return (
    <>
      {state && <span className={`dot ${toneOf(state)}`} />}
      {state && <span className={`node-state ${toneOf(state)}`}>{strings.health[state] ?? state.toLowerCase()}</span>}
      <span className="name">{when || (state ? "" : lookOf(node.system).label)}</span>
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

function SideButton({ data: { node, hasShown }, side }: { data: DrawnData; side: Side }) {
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
      aria-label={`${sign} ${label} ${node.name}`}
      title={canExpand && rest ? words.more(rest) : label.replace(/ of$/, "")}
      onClick={() => toggleSide(node.id, side)}
    >
      {sign}
    </button>
  );
}

function classOf({ node, health, isFocus, isSelected }: DrawnData): string {
  const tone = health ? toneOf(health.state) : node.state === "FAILED" ? "bad" : "";
  return ["node", node.kind, isFocus && "focus", isSelected && "selected", tone && `is-${tone}`]
    .filter(Boolean)
    .join(" ");
}

function hueOf(node: GraphNode): React.CSSProperties {
  return { "--hue": lookOf(node.system).hue } as React.CSSProperties;
}
