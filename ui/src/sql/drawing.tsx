/** The answer for a text, drawn: the graph's own scene and canvas, without a server behind its nodes. */
import { useNavigate } from "@tanstack/react-router";
import { ReactFlowProvider } from "@xyflow/react";
import { useCallback, useMemo, useRef, useState } from "react";

import type { GraphActions } from "../graph/actions";
import { ActionsProvider } from "../graph/actions";
import type { CanvasHandle } from "../graph/canvas";
import { Canvas } from "../graph/canvas";
import type { ColumnsAsked } from "../graph/column-pages";
import { openColumns } from "../graph/column-pages";
import { drawableEdges } from "../graph/columns";
import { drawScene } from "../graph/drawing";
import { LinesLegend } from "../graph/legend";
import type { ColumnEnd, Graph, Health } from "../graph/model";
import { useScene } from "../graph/scene";
import { Icon } from "../parts/icons";
import { Failure, Loading } from "../parts/states";
import { strings } from "../strings";
import "../styles/graph.css";
import type { SqlGraph } from "./answer-graph";
import { pathOf } from "./answer-graph";

const words = strings.sql;
const HEALTHY: Map<string, Health> = new Map();

export function SqlDrawing({ graph }: { graph: SqlGraph }) {
  const navigate = useNavigate();
  const [selected, setSelected] = useState(graph.focus);
  const [chosen, setChosen] = useState<ColumnEnd | null>(null);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [asked, setAsked] = useState<ReadonlyMap<string, ColumnsAsked>>(new Map());
  const canvas = useRef<CanvasHandle>(null);
  const opened = useMemo(() => {
    const shown = [...graph.nodes.values()].filter(({ id, columns }) => columns.length > 0 && !closed.has(id));
    return openColumns(graph, new Set(shown.map(({ id }) => id)), asked);
  }, [graph, closed, asked]);
  const { scene, failure } = useScene(graph, opened, "sql", selected);
  const edges = useMemo(() => {
    const certain = graph.columnEdges.filter(({ isCandidate }) => !isCandidate);
    return chosen ? pathOf(certain, chosen) : certain;
  }, [graph, chosen]);
  const drawn = useMemo(() => {
    if (!scene) return undefined;
    const columnEdges = drawableEdges(edges, scene.graph, new Set(scene.opened.keys()), false);
    // Neither side of a node can be expanded: all there is is drawn.
    const view = { to: "all", column: chosen ? columnIdOf(scene.graph, chosen) : undefined };
    return drawScene({ scene, columnEdges, view, health: HEALTHY, selected });
  }, [scene, edges, chosen, selected]);
  const toggleColumns = useCallback((id: string) => setClosed((before) => toggled(before, id)), []);
  const actions: GraphActions = useMemo(
    () => ({
      select: setSelected,
      toggleColumns,
      askColumns: (id, one) => setAsked((before) => new Map(before).set(id, one)),
      choosePath: (dataset, field) =>
        setChosen((before) => (before?.dataset === dataset && before.field === field ? null : { dataset, field })),
      toggleSide: () => {},
      openGroup: () => {},
      unfold: () => {},
      reveal: (id) => canvas.current?.reveal(id),
      open: (id) => {
        const named = graph.datasets.get(id);
        if (named) void navigate({ to: "/dataset", search: { ...named } });
      },
    }),
    [toggleColumns, graph, navigate],
  );
  return (
    <ActionsProvider value={actions}>
      <section className="stage sql-stage" aria-label={words.drawing}>
        {scene && drawn ? (
          <ReactFlowProvider>
            <Canvas scene={scene} nodes={drawn.nodes} lines={drawn.lines} selected={selected} handle={canvas} />
          </ReactFlowProvider>
        ) : (
          <div className="canvas waiting">{failure ? <Failure error={failure} /> : <Loading lines={4} />}</div>
        )}
        {drawn && <LinesLegend lines={drawn.lines} />}
        <div className="notices">
          {chosen && (
            <button type="button" className="back" onClick={() => setChosen(null)}>
              <Icon name="close" />
              {words.wholeGraph}
            </button>
          )}
        </div>
      </section>
    </ActionsProvider>
  );
}

function columnIdOf(graph: Graph, { dataset, field }: ColumnEnd): string {
  const node = graph.nodes.get(dataset);
  return `datasetField:${node?.namespace ?? ""}:${node?.name ?? ""}:${field}`;
}

function toggled(set: ReadonlySet<string>, one: string): ReadonlySet<string> {
  const other = new Set(set);
  if (!other.delete(one)) other.add(one);
  return other;
}
