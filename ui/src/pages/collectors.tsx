/** What collects lineage by itself: how it fares, when it runs next, and a run on request. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { collectors, runCollector } from "../api/queries";
import type { CollectorAnswer } from "../api/schema";
import { useNoEdit } from "../parts/may-edit";
import { Fact, Facts, Section, useTitle } from "../parts/page";
import { Answer, Empty } from "../parts/states";
import { Ago, durationOf } from "../parts/time";
import { strings } from "../strings";

const words = strings.collectors;
const TONES: Record<string, string> = { running: "busy", waiting: "good", failing: "bad", stopped: "quiet" };

export function CollectorsPage() {
  useTitle(words.title);
  const query = useQuery(collectors());
  return (
    <div className="page">
      <h1>{words.title}</h1>
      <p className="faint">{words.lead}</p>
      <Answer of={query} lines={6}>
        {({ collectors }) =>
          collectors.length === 0 ? (
            <Empty title={words.none}>{words.noneHelp}</Empty>
          ) : (
            collectors.map((collector) => <Collector key={collector.name} of={collector} />)
          )
        }
      </Answer>
    </div>
  );
}

function Collector({ of }: { of: CollectorAnswer }) {
  return (
    <Section title={of.name} note={<RunNow of={of} />}>
      {of.problem && (
        <p className={of.state === "failing" ? "notice wrap" : "faint wrap"} role="note">
          <bdi>{of.problem}</bdi>
        </p>
      )}
      <Facts>
        <Fact name={words.state}>
          <span className={`state ${TONES[of.state] ?? "quiet"}`}>{words.states[of.state] ?? of.state}</span>{" "}
          <span className="faint">
            {of.failures > 0 && `${words.failures(of.failures)}, `}
            {of.holder ? words.by(of.holder) : words.nobody}
          </span>
        </Fact>
        <Fact name={words.type}>
          <bdi>{of.type}</bdi>
        </Fact>
        <Fact name={words.result}>
          <Ago time={of.lastEndedAt} />
          {of.lastEndedAt && (
            <span className="faint">
              {" "}
              {words.stored(of.stored)}
              {of.refused > 0 && `, ${words.refused(of.refused)}`}, {words.total(of.allStored)}
            </span>
          )}
        </Fact>
        <Fact name={words.next}>
          {of.isRequested ? words.requested : of.state !== "stopped" && <Ago time={of.nextAt} />}{" "}
          <span className="faint">{words.every(durationOf(of.everySeconds * 1000))}</span>
        </Fact>
        <Fact name={words.lastChange}>
          <Ago time={of.lastChangeAt} />
        </Fact>
      </Facts>
    </Section>
  );
}

function RunNow({ of }: { of: CollectorAnswer }) {
  const why = useNoEdit() ?? (of.state === "stopped" ? words.noRun : undefined);
  const client = useQueryClient();
  const asking = useMutation({
    mutationFn: () => runCollector(of.name),
    onSettled: () => client.invalidateQueries({ queryKey: collectors().queryKey }),
  });
  return (
    <>
      {asking.error && (
        <span className="bad-text wrap" role="alert">
          {asking.error.message}{" "}
        </span>
      )}
      <button
        type="button"
        disabled={Boolean(why) || of.isRequested || asking.isPending}
        title={why}
        aria-label={words.runTitle(of.name)}
        onClick={() => asking.mutate()}
      >
        {words.run}
      </button>
    </>
  );
}
