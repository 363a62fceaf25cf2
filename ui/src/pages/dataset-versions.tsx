/** The versions of a dataset's schema, each with what it changed. */
import { useQuery } from "@tanstack/react-query";

import type { Named } from "../api/ids";
import { datasetVersions } from "../api/queries";
import type { DatasetVersionShape } from "../api/schema";
import { RunLink } from "../parts/links";
import { Section } from "../parts/page";
import { schemaDiff } from "../parts/schema-diff";
import { Answer, Empty } from "../parts/states";
import { Ago } from "../parts/time";
import { strings } from "../strings";

const words = strings.dataset;
const SIGNS = { added: "+", removed: "−", changed: "~" };

/** `until` is the time as of which they are shown, if that is not now. */
export function Versions({ named, until }: { named: Named; until?: string }) {
  const query = useQuery(datasetVersions(named));
  return (
    <Section title={words.changed}>
      <Answer of={query}>
        {({ versions: all }) => {
          const versions = until ? all.filter((version) => isBy(version, until)) : all;
          return versions.length === 0 ? (
            <Empty>{words.noVersions}</Empty>
          ) : (
            <ul className="rows">
              {versions.map((version, index) => (
                <li key={`${version.version} ${index}`}>
                  <span className="row-main">
                    <Difference of={version} before={versions[index + 1]} />
                    {version.createdByRun && (
                      <span className="faint">
                        {strings.kinds.run.toLowerCase()} <RunLink id={version.createdByRun.id} />
                      </span>
                    )}
                  </span>
                  <Ago time={version.createdAt} />
                </li>
              ))}
            </ul>
          );
        }}
      </Answer>
    </Section>
  );
}

function isBy({ createdAt }: DatasetVersionShape, time: string): boolean {
  return createdAt !== null && Date.parse(createdAt) <= Date.parse(time);
}

function Difference({ of, before }: { of: DatasetVersionShape; before: DatasetVersionShape | undefined }) {
  if (!before) return <span>{words.initial}</span>;
  const changes = schemaDiff(before.fields, of.fields);
  if (changes.length === 0) return <span className="faint">{of.lifecycleState ?? words.same}</span>;
  return (
    <ul className="plain">
      {changes.slice(0, 30).map(({ change, name, before, after }) => (
        <li key={name} className="wrap">
          <span className={`sign ${change}`}>{SIGNS[change]}</span> <bdi className="mono">{name}</bdi>{" "}
          <span className="faint">{change === "changed" ? `${before} → ${after}` : (after ?? before)}</span>
        </li>
      ))}
    </ul>
  );
}
