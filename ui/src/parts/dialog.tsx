/** A form over the page: it says what failed, and closes once it is done. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useId, useLayoutEffect, useRef } from "react";

import { ApiError } from "../api/client";
import { keepPersonName } from "../api/person";
import { readAgain } from "../api/read-again";
import { strings } from "../strings";
import { PersonField } from "./person-field";

interface Props {
  title: string;
  /** What the button says that does it. */
  label: string;
  /** Does it, with what the form holds. */
  act: (form: FormData) => Promise<unknown>;
  close: () => void;
  /** Whether it changes what all see, under somebody's name. */
  isEdit?: boolean;
  children: ReactNode;
}

export function FormDialog({ title, label, act, close, isEdit = true, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const client = useQueryClient();
  const acting = useMutation({
    mutationFn: (form: FormData) => {
      if (form.get("person")) keepPersonName(String(form.get("person")));
      return act(form);
    },
    onSuccess: async () => {
      close();
      await readAgain(client);
    },
  });
  // Before it is taken out of the page: closing gives the focus back to where it was.
  useLayoutEffect(() => {
    const shown = dialog.current!;
    shown.showModal();
    return () => shown.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
    >
      <h2 id={heading}>{title}</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          acting.mutate(new FormData(event.currentTarget));
        }}
      >
        {children}
        {isEdit && <PersonField />}
        {acting.error && (
          <p className="bad-text wrap" role="alert">
            {tell(acting.error)}
          </p>
        )}
        <div className="actions">
          <button type="submit" className="primary" disabled={acting.isPending}>
            {label}
          </button>
          <button type="button" onClick={close}>
            {strings.key.cancel}
          </button>
        </div>
      </form>
    </dialog>
  );
}

function tell(error: Error): string {
  return error instanceof ApiError && error.status === 0 ? strings.state.down : error.message;
}
