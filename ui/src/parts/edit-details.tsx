/** What people write on a dataset, a job or a column: description, owners, tags. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { edits, makeEdit } from "../api/queries";
import type { EditedEntity } from "../api/schema";
import { strings } from "../strings";
import type { Described } from "./changes-of-form";
import { editOf, lastEditOf, readTags } from "./changes-of-form";
import { FormDialog } from "./dialog";
import { Icon } from "./icons";
import { useNoEdit } from "./may-edit";

const words = strings.edit;

interface Props {
  entity: EditedEntity;
  before: Described;
  /** Whether there is room for the icon alone. */
  isSmall?: boolean;
}

export function EditDetails({ entity, before, isSmall = false }: Props) {
  // The time of the last edit that the page shows: what others change after that is not overwritten.
  const [since, setSince] = useState<string>();
  const client = useQueryClient();
  const why = useNoEdit();
  const label = words.edit(entity.field || entity.name);
  return (
    <>
      <button
        type="button"
        className={isSmall ? "icon-button" : undefined}
        disabled={Boolean(why)}
        title={why ?? (isSmall ? label : undefined)}
        aria-label={isSmall ? label : undefined}
        onClick={() => setSince(lastEditOf(client.getQueryData(logOf(entity).queryKey)))}
      >
        <Icon name="edit" size={isSmall ? 14 : 16} />
        {!isSmall && words.button}
      </button>
      {since && <DetailsForm entity={entity} before={before} since={since} close={() => setSince(undefined)} />}
    </>
  );
}

const logOf = ({ type, namespace = "", name }: EditedEntity) => edits(type as "dataset" | "job", { namespace, name });

function DetailsForm({ entity, before, since, close }: Props & { since: string; close: () => void }) {
  const hasOwners = !entity.field;
  async function act(form: FormData) {
    const text = (name: string) => String(form.get(name) ?? "");
    const now = {
      description: text("description"),
      owners: hasOwners ? text("owners") : before.owners,
      tags: readTags(text("tags")),
    };
    const edit = editOf(entity, before, now);
    if (edit) await makeEdit({ ...edit, unchangedSince: since });
  }
  return (
    <FormDialog title={words.edit(entity.field || entity.name)} label={words.save} act={act} close={close}>
      <label>
        {strings.dataset.description}
        <textarea name="description" defaultValue={before.description} />
      </label>
      {hasOwners && (
        <label>
          {words.owners}
          <textarea name="owners" className="short" defaultValue={before.owners} />
        </label>
      )}
      <label>
        {words.tags}
        <input name="tags" defaultValue={before.tags.join(", ")} />
      </label>
      <p className="faint">{words.emptied}</p>
    </FormDialog>
  );
}
