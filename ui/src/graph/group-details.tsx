/** Beside the drawing: what a group or a fan holds. */
import { useState } from "react";

import { State } from "../parts/badges";
import { VirtualRows } from "../parts/virtual";
import { strings } from "../strings";
import { useActions } from "./actions";
import { labelOf } from "./labels";
import type { Fan, GraphNode, Health } from "./model";
import { isFound } from "./path-order";

const words = strings.graph;

export function GroupDetails({ node, health }: { node: GraphNode; health: ReadonlyMap<string, Health> }) {
  const { openGroup } = useActions();
  return (
    <>
      <p className="kind">{strings.kinds.group}</p>
      <h2 className="wrap">
        <bdi>{labelOf(node).name}</bdi>
      </h2>
      {!node.fan && <p className="faint">{words.groupOf(node.size ?? 0)}</p>}
      {node.fan && node.fan.behind.length > 0 && <p className="faint">{words.fanBehind(node.fan.behind.length)}</p>}
      <div className="actions">
        <button type="button" className="primary" onClick={() => openGroup(node.id)}>
          {node.fan ? words.unfold : words.openGroup}
        </button>
      </div>
      {node.fan && <Members key={node.id} of={node.fan} health={health} />}
    </>
  );
}

function Members({ of: { members, behind }, health }: { of: Fan; health: ReadonlyMap<string, Health> }) {
  const { unfold } = useActions();
  const [text, setText] = useState("");
  const shown = text.trim() ? [...members, ...behind].filter((one) => isFound(one, text)) : members;
  return (
    <>
      <h3>{words.fanMembers}</h3>
      <input
        type="search"
        className="fan-search"
        value={text}
        placeholder={words.fanSearch}
        aria-label={words.fanSearch}
        onChange={(event) => setText(event.target.value)}
      />
      {shown.length === 0 && (
        <p className="faint" role="status">
          {words.fanNone}
        </p>
      )}
      <VirtualRows count={shown.length} height={44} most={440} label={words.fanMembers}>
        {(index) => {
          const node = shown[index]!;
          const state = health.get(node.id)?.state ?? node.state;
          return (
            <button
              type="button"
              className="column-button fan-member"
              title={`${words.showOne}: ${node.name}\n${node.namespace}`}
              onClick={() => unfold(node.id)}
            >
              <span className="node-text">
                <bdi className="name">{node.name}</bdi>
                <bdi className="faint name">{node.namespace}</bdi>
              </span>
              {state && <State state={state} />}
            </button>
          );
        }}
      </VirtualRows>
    </>
  );
}
