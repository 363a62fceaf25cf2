/** Lineage: the drawing around a node, with its tools, and what is selected beside it. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { ReactFlowProvider } from "@xyflow/react";
import { useCallback, useMemo, useRef, useState } from "react";

import { fieldId, isJobId, readableId } from "../api/ids";
import type { GraphActions } from "../graph/actions";
import { ActionsProvider } from "../graph/actions";
import type { CanvasHandle } from "../graph/canvas";
import { Canvas } from "../graph/canvas";
import type { ColumnsAsked } from "../graph/column-pages";
import { openColumns } from "../graph/column-pages";
import { drawableEdges } from "../graph/columns";
import { drawScene } from "../graph/drawing";
import { LinesLegend } from "../graph/legend";
import { Panel } from "../graph/panel";
import { useScene } from "../graph/scene";
import { Toolbar } from "../graph/toolbar";
import { useHealth, useLineage, useRates } from "../graph/use-lineage";
import type { View } from "../graph/view-state";
import { sideKey, toggled, unpackList, withItem, without } from "../graph/view-state";
import { useTitle } from "../parts/page";
import { useNoteViewed } from "../parts/recent";
import { SiteSearch } from "../parts/search";
import { Failure, Loading } from "../parts/states";
import { exactOf } from "../parts/time";
import { strings } from "../strings";
import "../styles/graph.css";

export function LineagePage() {
  const view = useSearch({ from: "/lineage" });
  if (!view.node && !view.column) return <Pick />;
  return <LineageOf view={view} />;
}

function Pick() {
  useTitle(strings.graph.title);
  return (
    <div className="page pick">
      <h1>{strings.graph.pick}</h1>
      <p className="faint">{strings.graph.pickHelp}</p>
      <SiteSearch isLarge />
    </div>
  );
}

function LineageOf({ view }: { view: View }) {
  const navigate = useNavigate();
  const change = useCallback(
    (part: Partial<View>, replace = false) =>
      void navigate({ to: "/lineage", search: (before) => ({ ...before, ...part }), replace }),
    [navigate],
  );
  const health = useHealth(!view.asof);
  const found = useLineage(view, health);
  const [asked, setAsked] = useState<ReadonlyMap<string, ColumnsAsked>>(new Map());
  const canvas = useRef<CanvasHandle>(null);

  const { graph } = found;
  const rates = useRates(Boolean(view.rates) && !view.asof, graph);
  const opened = useMemo(() => {
    const ids = view.column || view.to ? [...(graph?.nodes.keys() ?? [])] : unpackList(view.columns);
    return graph ? openColumns(graph, new Set(view.to ? [] : ids), asked) : new Map();
  }, [graph, view.column, view.to, view.columns, asked]);
  const subject = [view.node, view.up, view.down, view.column, view.to, view.group, view.nojobs].join("\n");
  const selectedId = view.at && graph?.nodes.has(view.at) ? view.at : (graph?.focus ?? "");
  const { scene, isBusy, failure } = useScene(graph, opened, subject, selectedId);

  const edges = useMemo(
    () =>
      scene ? drawableEdges(found.columnEdges, scene.graph, new Set(scene.opened.keys()), Boolean(view.direct)) : [],
    [scene, found.columnEdges, view.direct],
  );
  const drawn = useMemo(
    () =>
      scene
        ? {
            scene,
            columnEdges: edges,
            ...drawScene({ scene, columnEdges: edges, view, health, selected: selectedId, rates }),
          }
        : undefined,
    [scene, edges, view, health, selectedId, rates],
  );
  const actions = useGraphActions(view, graph, change, setAsked, navigate, canvas);

  const focus = graph?.nodes.get(graph.focus);
  useTitle(`${focus?.name ?? readableId(view.node ?? view.column ?? "")} ${strings.graph.title.toLowerCase()}`);
  useNoteViewed(
    focus && focus.kind !== "group"
      ? { kind: focus.kind, namespace: focus.namespace, name: focus.name, system: focus.system }
      : undefined,
  );

  if (found.error) {
    return (
      <div className="page">
        <Failure error={found.error} retry={found.retry} />
      </div>
    );
  }
  return (
    <ActionsProvider value={actions}>
      <ReactFlowProvider>
        <div className={view.table ? "lineage has-table" : "lineage"}>
          <h1 className="visually-hidden">
            {strings.graph.title} {focus?.name}
          </h1>
          <Toolbar
            view={view}
            known={found.known}
            graph={graph}
            selected={selectedId}
            health={health}
            change={change}
            canvas={canvas}
            drawn={drawn}
          />
          <div className="middle">
            <Notices view={view} found={found} />
            <div className="stage">
              {drawn && scene ? (
                <Canvas scene={scene} nodes={drawn.nodes} lines={drawn.lines} selected={selectedId} handle={canvas} />
              ) : (
                <div className="canvas waiting">{failure ? <Failure error={failure} /> : <Loading lines={4} />}</div>
              )}
              {drawn && <LinesLegend lines={drawn.lines} />}
              {isBusy && scene && (
                <div className="notices" role="status">
                  <p>{strings.graph.layout}</p>
                </div>
              )}
            </div>
          </div>
          {graph && (
            <Panel
              view={view}
              graph={graph}
              columnEdges={edges}
              selected={graph.nodes.get(selectedId)}
              health={health}
              change={change}
            />
          )}
          <p className="visually-hidden" aria-live="polite">
            {graph?.nodes.get(selectedId)?.name}
          </p>
        </div>
      </ReactFlowProvider>
    </ActionsProvider>
  );
}

function useGraphActions(
  view: View,
  graph: ReturnType<typeof useLineage>["graph"],
  change: (part: Partial<View>, replace?: boolean) => void,
  setAsked: React.Dispatch<React.SetStateAction<ReadonlyMap<string, ColumnsAsked>>>,
  navigate: ReturnType<typeof useNavigate>,
  canvas: React.RefObject<CanvasHandle | null>,
): GraphActions {
  return useMemo(() => {
    const openGroup = (id: string) => {
      const fan = graph?.nodes.get(id)?.fan;
      if (fan) change({ unfold: withItem(view.unfold, sideKey(fan.hub, fan.side)), at: fan.hub });
      else change({ ungrouped: toggled(view.ungrouped, id.replace(/^group:/, "")) });
    };
    return {
      select: (id) => change({ at: id }, true),
      toggleSide: (id, side) => {
        const key = sideKey(id, side);
        const isClosed = unpackList(view.closed).includes(key);
        const rest = graph?.nodes.get(id)?.rest[side];
        if (isClosed) change({ closed: without(view.closed, key), at: id });
        else if (rest === 0) change({ closed: toggled(view.closed, key), at: id });
        else change({ open: toggled(without(view.open, key), key), at: id });
      },
      toggleColumns: (id) => change({ columns: toggled(view.columns, id), at: id }),
      askColumns: (id, asked) => setAsked((before) => new Map(before).set(id, asked)),
      choosePath: (dataset, field) => {
        const node = graph?.nodes.get(dataset);
        if (!node) return;
        const column = fieldId(node, field);
        change({ column: view.column === column ? undefined : column, at: dataset });
      },
      openGroup,
      unfold: (id) => change({ unfold: withItem(view.unfold, id), at: id }),
      reveal: (id) => {
        change({ at: id }, true);
        canvas.current?.reveal(id);
      },
      open: (id) => {
        const node = graph?.nodes.get(id);
        if (!node) return;
        if (node.kind === "group") {
          openGroup(id);
          return;
        }
        const { namespace, name } = node;
        void navigate({ to: isJobId(id) ? "/job" : "/dataset", search: { namespace, name, asof: view.asof } });
      },
    };
  }, [view, graph, change, setAsked, navigate, canvas]);
}

/** That some jobs of a graph have gaps, with the first of them. */
function gapsIn(gaps: ReadonlyMap<string, string>): string {
  const [first] = gaps;
  return first ? strings.gaps.inGraph(gaps.size, first.join(": ")) : "";
}

function Notices({ view, found }: { view: View; found: ReturnType<typeof useLineage> }) {
  const { graph, isReversed } = found;
  const says = [
    view.asof && strings.time.asOf(exactOf(view.asof)),
    view.since && graph?.compared && strings.time.compared(exactOf(view.since), graph.compared),
    graph?.isCut && strings.graph.cut(graph.nodes.size),
    graph && gapsIn(graph.gaps),
    view.to && isReversed && strings.graph.pathReversed,
    view.to && graph?.nodes.size === 0 && strings.graph.noPath,
    !view.to &&
      graph?.nodes.size === 1 &&
      (view.system || view.namespace || view.tag || view.state) &&
      strings.graph.nothingLeft,
  ].filter(Boolean);
  return (
    <div className="notices" role="status">
      {says.map((text) => (
        <p key={String(text)}>{text}</p>
      ))}
    </div>
  );
}
