/** Asks for an API key when the server does, or when a person wants another, over whatever is on the page. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useSyncExternalStore } from "react";

import { currentKey, dismiss, giveKey, isKeyKept, keyAsked, onKeyAsked } from "../api/key";
import { strings } from "../strings";

const words = strings.key;

export function KeyEntry() {
  const asked = useSyncExternalStore(onKeyAsked, keyAsked);
  const dialog = useRef<HTMLDialogElement>(null);
  const client = useQueryClient();
  useEffect(() => {
    if (asked) dialog.current?.showModal();
    else dialog.current?.close();
  }, [asked]);

  function use(form: FormData) {
    giveKey(String(form.get("key") ?? ""), form.get("keep") === "on");
    void client.resetQueries();
  }

  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby="key-title"
      onCancel={(event) => {
        event.preventDefault();
        if (asked === "wanted") dismiss();
      }}
    >
      <h2 id="key-title">{asked === "wanted" ? words.change : words.title}</h2>
      {asked === "needed" && currentKey() && (
        <p className="bad-text" role="alert">
          {words.wrong}
        </p>
      )}
      <form action={use}>
        <label>
          {words.label}
          <input name="key" type="password" autoComplete="off" required autoFocus />
        </label>
        <label className="check">
          <input name="keep" type="checkbox" defaultChecked={isKeyKept()} />
          {words.keep}
        </label>
        <p className="faint">{words.help}</p>
        <div className="actions">
          <button type="submit" className="primary">
            {words.use}
          </button>
          {asked === "wanted" && (
            <button type="button" onClick={dismiss}>
              {words.cancel}
            </button>
          )}
        </div>
      </form>
    </dialog>
  );
}
