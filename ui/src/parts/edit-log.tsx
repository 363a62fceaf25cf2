/** Who changed what, when; each change can be undone. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import type { Named } from "../api/ids";
import { edits, undoEdit } from "../api/queries";
import { readAgain } from "../api/read-again";
import type { EditAnswer } from "../api/schema";
import { strings } from "../strings";
import { useNoEdit } from "./may-edit";
import { Section } from "./page";
import { Answer, Empty } from "./states";
import { Ago } from "./time";

const words = strings.edit;

/** The edits of a thing, and of another name of it where it was opened by that. */
export function EditLog({ type, named, also }: { type: "dataset" | "job"; named: Named; also?: Named }) {
  const query = useQuery(edits(type, named));
  const hasAlso = also && (also.namespace !== named.namespace || also.name !== named.name);
  const others = useQuery({ ...edits(type, also ?? named), enabled: Boolean(hasAlso) });
  const more = hasAlso ? (others.data?.edits ?? []) : [];
  return (
    <Section title={words.log}>
      <Answer of={query}>
        {({ edits }) =>
          edits.length + more.length === 0 ? (
            <Empty>{words.none}</Empty>
          ) : (
            <Rows of={[...edits, ...more].sort((a, b) => b.at.localeCompare(a.at))} />
          )
        }
      </Answer>
    </Section>
  );
}

function Rows({ of }: { of: EditAnswer[] }) {
  const undone = new Set(of.map(({ undoes }) => undoes));
  return (
    <ul className="rows">
      {of.map((edit) => (
        <li key={edit.id}>
          <span className="row-main">
            <span>
              <bdi>{edit.actor}</bdi>
              {edit.undoes && <span className="faint"> {words.undid}</span>}
              {edit.entity.field && (
                <>
                  {" "}
                  {words.ofColumn} <bdi className="mono">{edit.entity.field}</bdi>
                </>
              )}
            </span>
            {changesOf(edit).map((change) => (
              <bdi key={change} className="faint wrap few-lines">
                {change}
              </bdi>
            ))}
          </span>
          {!undone.has(edit.id) && <Undo of={edit} />}
          <Ago time={edit.at} />
        </li>
      ))}
    </ul>
  );
}

function Undo({ of }: { of: EditAnswer }) {
  const client = useQueryClient();
  const why = useNoEdit();
  const undoing = useMutation({ mutationFn: undoEdit, onSuccess: () => readAgain(client) });
  return (
    <span>
      <button
        type="button"
        className="small"
        disabled={Boolean(why) || undoing.isPending}
        title={why}
        onClick={() => undoing.mutate(of.id)}
      >
        {words.undo}
      </button>
      {undoing.error && (
        <span className="bad-text wrap" role="alert">
          {undoing.error.message}
        </span>
      )}
    </span>
  );
}

/** What an edit did, a line for each aspect. */
export function changesOf({ set, unset }: Pick<EditAnswer, "set" | "unset">): string[] {
  const given = Object.entries(set).map(([aspect, value]) => tellSet(aspect, value));
  return [...given, ...unset.map((aspect) => words.takenBack(nameOf(aspect)))];
}

function tellSet(aspect: string, value: unknown): string {
  if (aspect.startsWith("tag/"))
    return value === true ? words.tagged(aspect.slice(4)) : words.untagged(aspect.slice(4));
  if (aspect === "deleted") return value === true ? words.deleted : words.restored;
  return `${nameOf(aspect)}: ${textOf(value)}`;
}

const nameOf = (aspect: string): string => words.aspects[aspect] ?? aspect;

/** The text of a value, where it has one. */
function textOf(value: unknown): string {
  const one = value as { description?: string; reason?: string; owners?: { name: string }[]; identifiers?: Named[] };
  if (typeof one?.description === "string") return one.description;
  if (typeof one?.reason === "string") return one.reason;
  if (Array.isArray(one?.owners)) return one.owners.map(({ name }) => name).join(", ");
  if (Array.isArray(one?.identifiers)) return one.identifiers.map(({ name }) => name).join(", ");
  return JSON.stringify(value);
}
