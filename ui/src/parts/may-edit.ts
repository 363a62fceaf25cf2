/** Whether the key in use may change anything, and why not. */
import { useQuery } from "@tanstack/react-query";

import { whoAmI } from "../api/queries";
import { strings } from "../strings";

/** The reason why a person cannot edit; nothing if they can, or until it is known. */
export function useNoEdit(): string | undefined {
  const { data } = useQuery(whoAmI());
  return data && !data.scopes.includes("write") ? strings.edit.readOnly(data.actor) : undefined;
}
