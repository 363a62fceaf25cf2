/** A view for others: its link, a picture, lists. */
import { useState } from "react";

import { Icon } from "../parts/icons";
import { fileName, save } from "../parts/saving";
import { strings } from "../strings";
import type { Wire } from "./edge-paths";
import type { ColumnEdge } from "./model";
import { pngOf, svgOf } from "./picture";
import type { Scene } from "./scene";
import { boundsOf } from "./scene";
import { columnsCsv, edgesCsv, mermaid } from "./text";

const words = strings.graph;

export interface Drawn {
  scene: Scene;
  wires: Wire[];
  columnEdges: ColumnEdge[];
}

export function CopyLink() {
  const [isCopied, setCopied] = useState(false);
  async function copy() {
    await navigator.clipboard.writeText(location.href);
    setCopied(true);
    setTimeout(() => setCopied(false), 2000);
  }
  return (
    <button type="button" onClick={() => void copy()} title={words.copyLink}>
      <Icon name="link" />
      <span role="status">{isCopied ? words.copied : words.copyLink}</span>
    </button>
  );
}

export function Export({ scene, wires, columnEdges }: Drawn) {
  const name = scene.graph.nodes.get(scene.graph.focus)?.name ?? "lineage";
  const bounds = boundsOf(scene);
  const formats: [string, () => void | Promise<void>][] = [
    [
      words.formats.png,
      async () => {
        const png = await pngOf(svgOf(scene, wires), (bounds?.width ?? 0) + 60, (bounds?.height ?? 0) + 60);
        save(fileName(name, "png"), png);
      },
    ],
    [words.formats.svg, () => save(fileName(name, "svg"), svgOf(scene, wires), "image/svg+xml")],
    [words.formats.csv, () => save(fileName(name, "csv"), edgesCsv(scene.graph), "text/csv")],
    [
      words.formats.columns,
      () => save(fileName(`${name}.columns`, "csv"), columnsCsv(columnEdges, scene.graph), "text/csv"),
    ],
    [words.formats.mermaid, () => save(fileName(name, "mmd"), mermaid(scene.graph))],
  ];
  return (
    <details className="menu right">
      <summary>
        <Icon name="download" />
        {words.export}
      </summary>
      <div className="menu-body">
        {formats.map(([label, make]) => (
          <button key={label} type="button" onClick={() => void make()}>
            {label}
          </button>
        ))}
      </div>
    </details>
  );
}
