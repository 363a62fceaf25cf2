/** The tools above the drawing: hops, what is left out, groups, path, find, time, export. */

import { AsOfChoice } from "../parts/as-of";
import { nameOfState } from "../parts/badges";
import { Choice } from "../parts/choice";
import { Icon } from "../parts/icons";
import { idOfResult, Search } from "../parts/search";
import { TimeChoice } from "../parts/time-choice";
import { strings } from "../strings";
import { lookOf } from "../systems";
import type { CanvasHandle } from "./canvas";
import { allTagsOf, statesOf } from "./filter";
import { FindBox } from "./find-box";
import type { Graph, Health } from "./model";
import type { Drawn } from "./share";
import { CopyLink, Export } from "./share";
import { Hops, IconButton, Switch } from "./toolbar-controls";
import type { Grouping, View } from "./view-state";
import { DEFAULT_HOPS } from "./view-state";

const words = strings.graph;

interface Props {
  view: View;
  known: Graph | undefined;
  health: ReadonlyMap<string, Health>;
  change: (part: Partial<View>, replace?: boolean) => void;
  canvas: React.RefObject<CanvasHandle | null>;
  drawn: Drawn | undefined;
  graph: Graph | undefined;
  selected: string;
}

export function Toolbar({ view, known, health, change, canvas, drawn, graph, selected }: Props) {
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
      {!view.column && !view.asof && (
        <Switch
          label={strings.activity.onNodes}
          title={strings.activity.onNodesHelp}
          isOn={Boolean(view.rates)}
          set={(isOn) => change({ rates: isOn ? true : undefined }, true)}
        />
      )}
      {isTables && known && <Filters view={view} known={known} health={health} change={(part) => change(part, true)} />}
      {!view.column && <PathTo view={view} change={change} />}
      <FindBox
        view={view}
        graph={graph}
        selected={selected}
        change={change}
        reveal={(id) => canvas.current?.reveal(id)}
      />
      <AsOfChoice />
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
