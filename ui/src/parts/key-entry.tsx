/** Asks for an API key when the server does, over whatever is on the page. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useSyncExternalStore } from "react";

import { currentKey, giveKey, isKeyAsked, onKeyAsked } from "../api/key";
import { strings } from "../strings";

export function KeyEntry() {
  const isAsked = useSyncExternalStore(onKeyAsked, isKeyAsked);
  const dialog = useRef<HTMLDialogElement>(null);
  const client = useQueryClient();
  useEffect(() => {
    if (isAsked) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isAsked]);

  function use(form: FormData) {
    giveKey(String(form.get("key") ?? ""));
    void client.resetQueries();
  }

  return (
    <dialog ref={dialog} className="key-entry" aria-labelledby="key-title" onCancel={(event) => event.preventDefault()}>
      <h2 id="key-title">{strings.key.title}</h2>
      {isAsked && currentKey() && (
        <p className="bad-text" role="alert">
          {strings.key.wrong}
        </p>
      )}
      <form action={use}>
        <label>
          {strings.key.label}
          <input name="key" type="password" autoComplete="off" required autoFocus />
        </label>
        <p className="faint">{strings.key.help}</p>
        <button type="submit" className="primary">
          {strings.key.use}
        </button>
      </form>
    </dialog>
  );
}
