/** Changes by what brought them: a run, a person, a declaration; each group in a sentence. */
import type { ChangedNode, EditAnswer, LineageChange } from "../api/schema";
import { strings } from "../strings";

export interface ChangeGroup {
  key: string;
  at: string | null;
  /** The run that brought them, with its job. */
  run?: string;
  job?: ChangedNode;
  actor?: string;
  /** What came, went and changed, counted. */
  summary: string;
  changes: LineageChange[];
  edit?: EditAnswer;
}

/** The groups of some changes and edits, the newest first. */
export function groupChanges(
  changes: LineageChange[],
  nodes: Record<string, ChangedNode>,
  edits: EditAnswer[],
): ChangeGroup[] {
  const groups = new Map<string, ChangeGroup>();
  for (const change of changes) {
    const { cause, at } = change;
    // A run of a stream lasts for days: what it brought at another hour is another change.
    const key = cause?.run
      ? `${cause.run} ${at?.slice(0, 13)}`
      : `${cause?.type ?? ""} ${cause?.actor ?? ""} ${at ?? ""}`;
    const group = groups.get(key) ?? {
      key,
      at,
      run: cause?.run,
      job: cause?.job ? nodes[cause.job] : undefined,
      actor: cause?.actor ?? undefined,
      summary: "",
      changes: [],
    };
    group.changes.push(change);
    if (at && (!group.at || at > group.at)) group.at = at;
    groups.set(key, group);
  }
  for (const group of groups.values()) group.summary = summaryOf(group.changes);
  const ofEdits = edits.map((edit) => ({
    key: edit.id,
    at: edit.at,
    actor: edit.actor,
    summary: "",
    changes: [],
    edit,
  }));
  return [...groups.values(), ...ofEdits].sort((a, b) => (b.at ?? "").localeCompare(a.at ?? ""));
}

/** `added 1 dataset and 6 columns, removed 1 edge`. */
export function summaryOf(changes: Pick<LineageChange, "type" | "change">[]): string {
  const words = strings.changesPage;
  return ["added", "removed", "changed"]
    .flatMap((how) => {
      const counts = new Map<string, number>();
      for (const { type, change } of changes) if (change === how) counts.set(type, (counts.get(type) ?? 0) + 1);
      const told = [...counts].map(([type, count]) => words.count(type, count));
      return told.length > 0 ? [`${words.how[how]} ${listOf(told)}`] : [];
    })
    .join(", ");
}

function listOf(parts: string[]): string {
  const [last, ...others] = parts.toReversed();
  return others.length > 0 ? `${others.toReversed().join(", ")} ${strings.changesPage.and} ${last}` : (last ?? "");
}
