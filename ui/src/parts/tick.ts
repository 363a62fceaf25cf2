/** One clock for all times on a page: what shows how long ago something was changes by itself. */
import { useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function onTick(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

function tick(): void {
  for (const listener of listeners) listener();
}

/** A text made of the time of now; whoever shows it is drawn again only when the text is another. */
export function useTicking(textNow: () => string): string {
  return useSyncExternalStore(onTick, textNow);
}
