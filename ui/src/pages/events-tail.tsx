/** Following the newest events: by themselves, or by a click on how many came meanwhile. */
import { useCallback, useEffect, useRef, useState } from "react";

import { onChanged } from "../live/stream";
import { strings } from "../strings";

const words = strings.live;
/** A list that moves more often cannot be read. */
const LEAST = 2_000;

export function Tail({ readAgain }: { readAgain: () => void }) {
  const [isFollowing, setFollowing] = useState(false);
  const [waiting, setWaiting] = useState(0);
  const readNow = useRef(readAgain);
  readNow.current = readAgain;

  useEffect(() => onChanged(({ events }) => setWaiting((before) => before + events)), []);
  const show = useCallback(() => {
    setWaiting(0);
    readNow.current();
  }, []);
  const isDue = isFollowing && waiting > 0;
  useEffect(() => {
    if (!isDue) return;
    const timer = setTimeout(show, LEAST);
    return () => clearTimeout(timer);
  }, [isDue, show]);

  return (
    <span className="tail">
      {isFollowing ? (
        <span role="status">{words.following}</span>
      ) : (
        waiting > 0 && (
          <button type="button" onClick={show}>
            {words.newer(waiting)}
          </button>
        )
      )}
      <button type="button" aria-pressed={isFollowing} onClick={() => setFollowing(!isFollowing)}>
        {isFollowing ? words.pause : words.follow}
      </button>
    </span>
  );
}
