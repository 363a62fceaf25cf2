/** The other names of a dataset: joined by events or people, and cut by people. */
import { useState } from "react";

import type { Named } from "../api/ids";
import { editsOf, makeEdit } from "../api/queries";
import { strings } from "../strings";
import { editedNames, lastEditOf, withName } from "./changes-of-form";
import { FormDialog } from "./dialog";
import { DatasetLink } from "./links";
import { useNoEdit } from "./may-edit";

const words = strings.edit;

/** Names are joined to and cut from the name that the page was opened by, so that its log has all of it. */
export function Aliases({ of, named, asked }: { of: Named[]; named: Named; asked: Named }) {
  const [wanted, setWanted] = useState<{ type: "TABLE" | "CUT"; name?: Named }>();
  const why = useNoEdit();
  return (
    <>
      {of.map((alias) => (
        <span key={`${alias.namespace} ${alias.name}`} className="alias">
          <DatasetLink of={alias} />
          <button
            type="button"
            className="small"
            disabled={Boolean(why)}
            title={why ?? words.cutHelp}
            aria-label={`${words.cut} ${alias.name}`}
            onClick={() => setWanted({ type: "CUT", name: isSame(alias, asked) ? named : alias })}
          >
            {words.cut}
          </button>
        </span>
      ))}
      <button
        type="button"
        className="small"
        disabled={Boolean(why)}
        title={why ?? words.joinHelp}
        onClick={() => setWanted({ type: "TABLE" })}
      >
        {words.join}
      </button>
      {wanted && <NameForm named={asked} wanted={wanted} close={() => setWanted(undefined)} />}
    </>
  );
}

const isSame = (one: Named, other: Named) => one.namespace === other.namespace && one.name === other.name;

interface FormProps {
  named: Named;
  wanted: { type: "TABLE" | "CUT"; name?: Named };
  close: () => void;
}

function NameForm({ named, wanted: { type, name }, close }: FormProps) {
  async function act(form: FormData) {
    const other = name ?? { namespace: String(form.get("namespace")).trim(), name: String(form.get("name")).trim() };
    const log = await editsOf("dataset", named);
    const unchangedSince = lastEditOf(log);
    const identifiers = withName(editedNames(log.edits), { namespace: other.namespace, name: other.name, type });
    await makeEdit({
      entity: { type: "dataset", namespace: named.namespace, name: named.name },
      set: { symlinks: { identifiers } },
      unchangedSince,
    });
  }
  return (
    <FormDialog
      title={name ? words.cutTitle(name.name) : words.joinTitle}
      label={name ? words.cut : words.join}
      act={act}
      close={close}
    >
      <p className="faint">{name ? words.cutHelp : words.joinHelp}</p>
      {!name && (
        <>
          <label>
            {strings.graph.namespace}
            <input name="namespace" required />
          </label>
          <label>
            {strings.browse.name}
            <input name="name" required />
          </label>
        </>
      )}
    </FormDialog>
  );
}
