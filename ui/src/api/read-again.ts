/** After a change: everything on the page is read again, as much may show what was changed. */
import type { QueryClient } from "@tanstack/react-query";

export async function readAgain(client: QueryClient): Promise<void> {
  // What is under way for the first time would not be asked for anew, and may tell what was before.
  await client.cancelQueries();
  await client.invalidateQueries();
}
