/** The tools above the drawing: hops, what is left out, groups, path, export. */
import { useState } from "react";

import { nameOfState } from "../parts/badges";
import { Icon } from "../parts/icons";
import { fileName, save } from "../parts/saving";
import { idOfResult, Search } from "../parts/search";
import { TimeChoice } from "../parts/time-choice";
import { strings } from "../strings";
import { lookOf } from "../systems";
import type { CanvasHandle } from "./canvas";
import type { Wire } from "./edge-paths";
import { allTagsOf, statesOf } from "./filter";
import type { ColumnEdge, Graph, Health } from "./model";
import { pngOf, svgOf } from "./picture";
import type { Scene } from "./scene";
import { boundsOf } from "./scene";
import { columnsCsv, edgesCsv, mermaid } from "./text";
import type { Grouping, View } from "./view-state";
import { DEFAULT_HOPS, MOST_HOPS } from "./view-state";

const words = strings.graph;

interface Props {
  view: View;
  known: Graph | undefined;
  health: ReadonlyMap<string, Health>;
  change: (part: Partial<View>, replace?: boolean) => void;
  canvas: React.RefObject<CanvasHandle | null>;
  drawn: { scene: Scene; wires: Wire[]; columnEdges: ColumnEdge[] } | undefined;
}

export function Toolbar({ view, known, health, change, canvas, drawn }: Props) {
  const isTables = !view.column && !view.to;
  return (
    <div className="toolbar" role="toolbar" aria-label={words.title}>
      {isTables && (
        <>
          <Hops
            label={words.upstream}
            title={words.upstreamHops}
            value={view.up ?? DEFAULT_HOPS}
            // A number is turned by arrow keys: not each step is a place to go back to.
            set={(up) => change({ up }, true)}
          />
          <Hops
            label={words.downstream}
            title={words.downstreamHops}
            value={view.down ?? DEFAULT_HOPS}
            set={(down) => change({ down }, true)}
          />
        </>
      )}
      {view.column ? (
        <>
          <Switch
            label={words.indirect}
            title={words.indirectHelp}
            isOn={!view.direct}
            set={(isOn) => change({ direct: isOn ? undefined : true })}
          />
          <button type="button" onClick={() => change({ column: undefined })}>
            {words.wholeGraph}
          </button>
        </>
      ) : (
        <Switch
          label={words.jobs}
          title={view.nojobs ? words.showJobs : words.hideJobs}
          isOn={!view.nojobs}
          set={(isOn) => change({ nojobs: isOn ? undefined : true })}
        />
      )}
      {isTables && known && <Filters view={view} known={known} health={health} change={(part) => change(part, true)} />}
      {!view.column && <PathTo view={view} change={change} />}
      <TimeChoice
        label={strings.time.label}
        none={strings.time.now}
        value={view.asof}
        set={(asof) => change({ asof })}
      />
      {isTables && (
        <TimeChoice
          label={strings.time.compare}
          none={strings.time.noCompare}
          value={view.since}
          set={(since) => change({ since })}
        />
      )}
      <span className="space" />
      <div className="button-group">
        <IconButton name="fit" label={words.fit} onClick={() => canvas.current?.fit()} />
        <IconButton name="plus" label={words.zoomIn} onClick={() => canvas.current?.zoom(1.3)} />
        <IconButton name="minus" label={words.zoomOut} onClick={() => canvas.current?.zoom(1 / 1.3)} />
      </div>
      <CopyLink />
      {drawn && <Export {...drawn} />}
    </div>
  );
}

function IconButton({ name, label, onClick }: { name: "fit" | "plus" | "minus"; label: string; onClick: () => void }) {
  return (
    <button type="button" aria-label={label} title={label} onClick={onClick}>
      <Icon name={name} />
    </button>
  );
}

function Hops({
  label,
  title,
  value,
  set,
}: {
  label: string;
  title: string;
  value: number;
  set: (value: number) => void;
}) {
  return (
    <label className="hops" title={title}>
      {label}
      <input
        type="number"
        min={0}
        max={MOST_HOPS}
        value={value}
        aria-label={title}
        onChange={(event) => set(Math.max(0, Math.min(MOST_HOPS, Math.floor(Number(event.target.value)) || 0)))}
      />
    </label>
  );
}

function Switch({
  label,
  title,
  isOn,
  set,
}: {
  label: string;
  title: string;
  isOn: boolean;
  set: (isOn: boolean) => void;
}) {
  return (
    <label className="switch" title={title}>
      <input
        type="checkbox"
        role="switch"
        aria-checked={isOn}
        checked={isOn}
        onChange={(event) => set(event.target.checked)}
      />
      {label}
    </label>
  );
}

function Filters({
  view,
  known,
  health,
  change,
}: {
  view: View;
  known: Graph;
  health: Props["health"];
  change: (part: Partial<View>) => void;
}) {
  const nodes = [...known.nodes.values()];
  const isSet = view.system || view.namespace || view.tag || view.state || view.group;
  return (
    <details className="menu">
      <summary className={isSet ? "is-set" : ""}>
        <Icon name="filter" />
        {words.filters}
      </summary>
      <div className="menu-body">
        <Choice
          label={words.system}
          value={view.system}
          of={nodes.map((node) => node.system)}
          say={(name) => lookOf(name).label}
          set={(system) => change({ system })}
        />
        <Choice
          label={words.namespace}
          value={view.namespace}
          of={nodes.map((node) => node.namespace)}
          set={(namespace) => change({ namespace })}
        />
        <Choice label={words.tag} value={view.tag} of={nodes.flatMap(allTagsOf)} set={(tag) => change({ tag })} />
        <Choice
          label={words.runState}
          value={view.state}
          of={nodes.flatMap((node) => statesOf(node, health))}
          say={nameOfState}
          set={(state) => change({ state })}
        />
        <label>
          {words.group}
          <select
            value={view.group ?? ""}
            onChange={(event) =>
              change({ group: (event.target.value || undefined) as Grouping | undefined, ungrouped: undefined })
            }
          >
            {Object.entries(words.groupBy).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
      </div>
    </details>
  );
}

interface ChoiceProps {
  label: string;
  value: string | undefined;
  of: string[];
  say?: (value: string) => string;
  set: (value: string | undefined) => void;
}

function Choice({ label, value, of, say = (one) => one, set }: ChoiceProps) {
  const options = [...new Set(value ? [...of, value] : of)].sort();
  return (
    <label>
      {label}
      <select
        value={value ?? ""}
        disabled={options.length === 0}
        onChange={(event) => set(event.target.value || undefined)}
      >
        <option value="">{words.any}</option>
        {options.map((option) => (
          <option key={option} value={option}>
            {say(option)}
          </option>
        ))}
      </select>
    </label>
  );
}

function PathTo({ view, change }: { view: View; change: Props["change"] }) {
  if (view.to) {
    return (
      <button type="button" onClick={() => change({ to: undefined })}>
        <Icon name="close" />
        {words.clearPath}
      </button>
    );
  }
  return (
    <details className="menu" onToggle={({ currentTarget: menu }) => menu.open && menu.querySelector("input")?.focus()}>
      <summary>
        <Icon name="graph" />
        {words.pathTo}
      </summary>
      <div className="menu-body wide">
        <Search hint={words.pathHint} onChoose={(result) => change({ to: idOfResult(result), at: undefined })} />
      </div>
    </details>
  );
}

function CopyLink() {
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

function Export({ scene, wires, columnEdges }: NonNullable<Props["drawn"]>) {
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
