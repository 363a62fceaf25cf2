/** Whether the window is as narrow as a phone: for what styles alone cannot say, such as heights of rows. */
import { useSyncExternalStore } from "react";

// The same width as in the styles.
const NARROW = "(max-width: 700px)";

export function useIsNarrow(): boolean {
  return useSyncExternalStore(
    (onChange) => {
      const query = matchMedia(NARROW);
      query.addEventListener("change", onChange);
      return () => query.removeEventListener("change", onChange);
    },
    () => matchMedia(NARROW).matches,
  );
}
