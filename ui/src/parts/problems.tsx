/** Problems in a list: what, why, whose, since when, and who knows of it. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";

import { makeEdit, undoEdit } from "../api/queries";
import { readAgain } from "../api/read-again";
import type { ProblemAcknowledged, ProblemShape } from "../api/schema";
import { strings } from "../strings";
import { State } from "./badges";
import { FormDialog } from "./dialog";
import { NodeLink, OwnerLink } from "./links";
import { useNoEdit } from "./may-edit";
import { Ago, exactOf } from "./time";

const words = strings.problems;

export function ProblemRows({ of, isShort = false }: { of: ProblemShape[]; isShort?: boolean }) {
  return (
    <ul className="rows problem-rows">
      {of.map((problem) => (
        <li key={`${problem.type} ${problem.namespace} ${problem.name} ${problem.problem}`}>
          <State state={problem.problem} />
          <span className="row-main">
            <Subject of={problem} />
            <span className={isShort ? "faint wrap few-lines" : "faint wrap"}>{problem.reason}</span>
            {problem.acknowledged && <Known of={problem.acknowledged} />}
            <span className="row-links">
              {problem.owners.map((owner) => (
                <OwnerLink key={owner} name={owner} />
              ))}
              {problem.run && (
                <Link to="/run" search={{ id: problem.run }}>
                  {words.toRun}
                </Link>
              )}
              {problem.id && (
                <Link to="/lineage" search={{ node: problem.id }}>
                  {strings.graph.title}
                </Link>
              )}
              {problem.id && !isShort && <Acknowledge of={problem} />}
            </span>
          </span>
          <Ago time={problem.since} />
        </li>
      ))}
    </ul>
  );
}

function Subject({ of }: { of: ProblemShape }) {
  if (of.type === "JOB" || of.type === "DATASET") return <NodeLink of={of} />;
  return (
    <Link to="/events" search={{ kind: "rejected" }}>
      {words.from} <bdi>{of.name}</bdi>
    </Link>
  );
}

export function Known({ of: { actor, at, reason, until } }: { of: ProblemAcknowledged }) {
  return (
    <span className="wrap known">
      {words.knownBy(actor)} <Ago time={at} />
      {until && ` ${words.until} ${exactOf(until)}`}: <bdi>{reason}</bdi>
    </span>
  );
}

/** Anything of a job or a dataset that an edit acknowledges. */
export type Acknowledgeable = Pick<ProblemShape, "type" | "namespace" | "name" | "problem" | "acknowledged">;

interface AcknowledgeProps {
  of: Acknowledgeable;
  /** Whether it is one state that lasts, and no occurrence of many. */
  isForGood?: boolean;
}

export function Acknowledge({ of, isForGood = false }: AcknowledgeProps) {
  const [isOpen, setOpen] = useState(false);
  const why = useNoEdit();
  const client = useQueryClient();
  const undoing = useMutation({
    mutationFn: undoEdit,
    onSuccess: () => readAgain(client),
  });
  const known = of.acknowledged;
  return (
    <>
      {known?.edit ? (
        <button
          type="button"
          className="small"
          disabled={Boolean(why) || undoing.isPending}
          title={why}
          onClick={() => undoing.mutate(known.edit)}
        >
          {words.undo}
        </button>
      ) : (
        <button type="button" className="small" disabled={Boolean(why)} title={why} onClick={() => setOpen(true)}>
          {words.acknowledge}
        </button>
      )}
      {undoing.error && (
        <span className="bad-text wrap" role="alert">
          {undoing.error.message}
        </span>
      )}
      {isOpen && <AcknowledgeForm of={of} isForGood={isForGood} close={() => setOpen(false)} />}
    </>
  );
}

const HOUR = 3_600_000;
const SPANS: Record<string, number> = { hour: HOUR, day: 24 * HOUR, week: 7 * 24 * HOUR };
/** What is judged anew with each write: an occurrence of it lasts no longer. */
const PASSING = ["low", "high", "empty"];

function AcknowledgeForm({ of, isForGood, close }: AcknowledgeProps & { close: () => void }) {
  function act(form: FormData) {
    const span = SPANS[String(form.get("until"))];
    const until = span ? new Date(Date.now() + span).toISOString() : undefined;
    const value = { problem: of.problem, reason: String(form.get("reason") ?? ""), ...(until ? { until } : {}) };
    const entity = {
      type: of.type === "JOB" ? ("job" as const) : ("dataset" as const),
      namespace: of.namespace,
      name: of.name,
    };
    return makeEdit({ entity, set: { acknowledged: value } });
  }
  return (
    <FormDialog
      title={words.acknowledgeTitle(strings.health[of.problem] ?? of.problem)}
      label={words.acknowledge}
      act={act}
      close={close}
    >
      <p className="faint wrap">
        <bdi>{of.name}</bdi>
      </p>
      <label>
        {words.reason}
        <textarea name="reason" required maxLength={2000} />
      </label>
      <label>
        {words.howLong}
        <select name="until" defaultValue={PASSING.includes(of.problem) ? "day" : ""}>
          <option value="">{isForGood ? words.forGood : words.untilAgain}</option>
          {Object.keys(SPANS).map((span) => (
            <option key={span} value={span}>
              {words.spans[span]}
            </option>
          ))}
        </select>
      </label>
    </FormDialog>
  );
}
