/** Deleting a dataset or a job, and what stands in its place once it is deleted. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { ApiError } from "../api/client";
import type { Named } from "../api/ids";
import { deleteThing, edits, restoreThing } from "../api/queries";
import { strings } from "../strings";
import { FormDialog } from "./dialog";
import { EditLog } from "./edit-log";
import { useNoEdit } from "./may-edit";
import { Failure } from "./states";
import { Ago } from "./time";

const words = strings.edit;

interface Props {
  type: "dataset" | "job";
  named: Named;
}

export function DeleteButton({ type, named }: Props) {
  const [isOpen, setOpen] = useState(false);
  const why = useNoEdit();
  return (
    <>
      <button type="button" disabled={Boolean(why)} title={why} onClick={() => setOpen(true)}>
        {words.delete}
      </button>
      {isOpen && (
        <FormDialog
          title={words.deleteTitle(named.name)}
          label={words.delete}
          act={() => deleteThing(type, named)}
          close={() => setOpen(false)}
        >
          <p>{words.deleteHelp}</p>
        </FormDialog>
      )}
    </>
  );
}

/** Instead of a failure: that a person deleted it, and how it comes back. */
export function GoneOrDeleted({ type, named, error, retry }: Props & { error: unknown; retry: () => void }) {
  const isGone = error instanceof ApiError && error.isGone;
  const log = useQuery({ ...edits(type, named), enabled: isGone });
  const [isOpen, setOpen] = useState(false);
  const why = useNoEdit();
  const last = log.data?.edits.find(({ set, unset }) => "deleted" in set || unset.includes("deleted"));
  if (last?.set.deleted !== true) return <Failure error={error} retry={retry} />;
  return (
    <>
      <div className="notice" role="note">
        {words.deletedBy(last.actor)} <Ago time={last.at} />{" "}
        <button type="button" disabled={Boolean(why)} title={why} onClick={() => setOpen(true)}>
          {words.restore}
        </button>
      </div>
      {isOpen && (
        <FormDialog
          title={words.restoreTitle(named.name)}
          label={words.restore}
          act={() => restoreThing(type, named)}
          close={() => setOpen(false)}
        >
          <p>{words.restoreHelp}</p>
        </FormDialog>
      )}
      <EditLog type={type} named={named} />
    </>
  );
}
