/** Named ingestions: how each fares, its last runs, and a form to add or change one. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { actOnIngestion, ingestions, removeIngestion, whoAmI } from "../api/queries";
import type { IngestionAnswer, IngestionRunAnswer } from "../api/schema";
import { Fact, Facts, Section, useTitle } from "../parts/page";
import { Answer, Empty } from "../parts/states";
import { Ago } from "../parts/time";
import { strings } from "../strings";
import { IngestionForm } from "./ingestion-form";

const words = strings.ingestions;
const TONES: Record<string, string> = { running: "busy", waiting: "good", failing: "bad" };
const MOST_RUNS = 5;

export function IngestionsPage() {
  useTitle(words.title);
  const query = useQuery(ingestions());
  const why = useNoAdmin();
  const [edited, setEdited] = useState<string>();
  const close = () => setEdited(undefined);
  return (
    <div className="page">
      <h1>{words.title}</h1>
      <p className="faint">{words.lead}</p>
      <Answer of={query} lines={6}>
        {({ ingestions }) => (
          <>
            {edited === undefined ? (
              <p>
                <button
                  type="button"
                  className="primary"
                  disabled={Boolean(why)}
                  title={why}
                  onClick={() => setEdited("")}
                >
                  {words.add}
                </button>
              </p>
            ) : (
              <IngestionForm key={edited} of={ingestions.find(({ name }) => name === edited)} close={close} />
            )}
            {ingestions.length === 0 && <Empty title={words.none}>{words.noneHelp}</Empty>}
            {ingestions.map((each) => (
              <Ingestion key={each.name} of={each} edit={() => setEdited(each.name)} />
            ))}
          </>
        )}
      </Answer>
    </div>
  );
}

/** Who changes an ingestion has the server's machine read from elsewhere: that is for administrators. */
function useNoAdmin(): string | undefined {
  const { data } = useQuery(whoAmI());
  return data && !data.scopes.includes("admin") ? words.noAdmin(data.actor) : undefined;
}

function Ingestion({ of, edit }: { of: IngestionAnswer; edit: () => void }) {
  return (
    <Section title={of.displayName || of.name} note={<Actions of={of} edit={edit} />}>
      {of.description && <p className="wrap">{of.description}</p>}
      {of.problem && (
        <p className={of.state === "failing" ? "notice wrap" : "faint wrap"} role="note">
          <bdi>{of.problem}</bdi>
        </p>
      )}
      <Facts>
        <Fact name={words.state}>
          <span className={`state ${TONES[of.state] ?? "quiet"}`}>{words.states[of.state] ?? of.state}</span>{" "}
          <span className="faint">{of.holder ? words.by(of.holder) : words.nobody}</span>
        </Fact>
        <Fact name={words.name}>
          <bdi className="wrap">{of.name}</bdi>
        </Fact>
        <Fact name={words.source}>
          <bdi className="wrap">{of.reads}</bdi>
        </Fact>
        <Fact name={words.next}>{of.isRequested ? words.requested : of.nextAt && <Ago time={of.nextAt} />}</Fact>
        <Fact name={words.lag}>{of.lag === null ? null : words.messages(of.lag)}</Fact>
        <Fact name={words.all}>{words.events(of.allStored)}</Fact>
      </Facts>
      <Runs of={of.runs.slice(0, MOST_RUNS)} name={of.name} />
      {of.notUsed.length > 0 && (
        <details>
          <summary>{words.notUsed(of.notUsed.length)}</summary>
          <ul className="plain">
            {of.notUsed.map(({ key, reason }) => (
              <li key={key} className="wrap">
                <code>{key}</code>: {reason}
              </li>
            ))}
          </ul>
        </details>
      )}
    </Section>
  );
}

function Runs({ of, name }: { of: IngestionRunAnswer[]; name: string }) {
  if (of.length === 0) return <p className="faint">{words.noRuns}</p>;
  return (
    <section className="scroll" tabIndex={0} aria-label={words.runsOf(name)}>
      <table className="impact-table">
        <thead>
          <tr>
            {words.runColumns.map((each) => (
              <th key={each} scope="col">
                {each}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {of.map((run) => (
            <tr key={run.startedAt}>
              <td>
                <Ago time={run.startedAt} />
              </td>
              <td>{words.runStates[run.state] ?? run.state}</td>
              <td className="num">{run.stored.toLocaleString("en")}</td>
              <td className="num">{run.rejected.toLocaleString("en")}</td>
              <td className="num">{run.excluded.toLocaleString("en")}</td>
              <td className="num">{run.marked.toLocaleString("en")}</td>
              <td className="wrap">
                <bdi>{run.problem}</bdi>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Actions({ of, edit }: { of: IngestionAnswer; edit: () => void }) {
  const why = useNoAdmin();
  const client = useQueryClient();
  const again = () => client.invalidateQueries({ queryKey: ingestions().queryKey });
  const acting = useMutation({
    mutationFn: (action: "run" | "pause" | "resume") => actOnIngestion(of.name, action),
    onSettled: again,
  });
  const removing = useMutation({ mutationFn: () => removeIngestion(of.name), onSettled: again });
  const error = acting.error ?? removing.error;
  const noRun = why ?? (of.isPaused ? words.isPaused : undefined);
  return (
    <>
      {error && (
        <span className="bad-text wrap" role="alert">
          {error.message}{" "}
        </span>
      )}
      <button
        type="button"
        disabled={Boolean(noRun) || of.isRequested || acting.isPending}
        title={noRun}
        aria-label={words.titles.run(of.name)}
        onClick={() => acting.mutate("run")}
      >
        {words.run}
      </button>{" "}
      <button
        type="button"
        disabled={Boolean(why) || acting.isPending}
        title={why}
        aria-label={of.isPaused ? words.titles.resume(of.name) : words.titles.pause(of.name)}
        onClick={() => acting.mutate(of.isPaused ? "resume" : "pause")}
      >
        {of.isPaused ? words.resume : words.pause}
      </button>{" "}
      <button type="button" disabled={Boolean(why)} title={why} aria-label={words.titles.edit(of.name)} onClick={edit}>
        {words.edit}
      </button>{" "}
      <button
        type="button"
        disabled={Boolean(why) || removing.isPending}
        title={why}
        aria-label={words.titles.remove(of.name)}
        onClick={() => window.confirm(words.confirm(of.name)) && removing.mutate()}
      >
        {words.remove}
      </button>
    </>
  );
}
