/** The name of who edits, asked in forms until it is known, where no key tells it. */
import { useQuery } from "@tanstack/react-query";

import { LONGEST_PERSON, personName } from "../api/person";
import { whoAmI } from "../api/queries";
import { strings } from "../strings";

/** Who acts on a server that requires no key. */
const NO_KEY = "local";

export function useIsNameAsked(): boolean {
  const { data } = useQuery(whoAmI());
  return data?.actor === NO_KEY;
}

export function PersonField() {
  const isAsked = useIsNameAsked() && !personName();
  if (!isAsked) return null;
  return (
    <label>
      {strings.edit.person}
      <input name="person" autoComplete="name" maxLength={LONGEST_PERSON} />
    </label>
  );
}
