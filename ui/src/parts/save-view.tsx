/** Saves what a page shows, under a name. */
import { useState } from "react";

import { strings } from "../strings";
import { FormDialog } from "./dialog";
import { Icon } from "./icons";
import { saveView } from "./saved-views";

const words = strings.settings;

export function SaveView() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="quiet-button"
        onClick={() => setOpen(true)}
        aria-label={words.save}
        title={words.save}
      >
        <Icon name="save" />
      </button>
      {isOpen && <SaveForm close={() => setOpen(false)} />}
    </>
  );
}

function SaveForm({ close }: { close: () => void }) {
  const address = `${location.pathname}${location.search}`;
  const suffix = ` · ${strings.product}`;
  const title = document.title.endsWith(suffix) ? document.title.slice(0, -suffix.length) : strings.nav.home;
  return (
    <FormDialog
      title={words.save}
      label={words.saveAs}
      act={async (form) => saveView({ name: String(form.get("name") ?? ""), address })}
      close={close}
      isEdit={false}
    >
      <label>
        {words.name}
        <input name="name" defaultValue={title} maxLength={200} required />
      </label>
    </FormDialog>
  );
}
