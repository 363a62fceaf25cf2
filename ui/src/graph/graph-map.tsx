/** A map of the graph by state, beside the drawing: it lies over nothing. */
import { MiniMap } from "@xyflow/react";

import { strings } from "../strings";
import type { DrawnNode } from "./nodes";
import { toneOfNode } from "./nodes";

export function GraphMap() {
  return (
    <MiniMap<DrawnNode>
      pannable
      zoomable
      className="graph-map"
      style={{ width: 348, height: 118 }}
      ariaLabel={strings.graph.map}
      nodeBorderRadius={30}
      nodeClassName={({ data }) =>
        ["map-node", toneOfNode(data), data.node.change && `is-${data.node.change}`, data.isFocus && "focus"]
          .filter(Boolean)
          .join(" ")
      }
    />
  );
}
