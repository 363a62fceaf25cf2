/** The time as of which a page is shown: chosen on it, kept in its address and in the links to other pages. */
import { useNavigate, useRouterState } from "@tanstack/react-router";

import { strings } from "../strings";
import { TimeChoice } from "./time-choice";
import { exactOf, validTime } from "./zone";

const words = strings.time;

/** The time that the address has; nothing on pages of now. */
export function useAsOf(): string | undefined {
  return useRouterState({ select: ({ location }) => validTime((location.search as { asof?: string }).asof) });
}

export function AsOfChoice() {
  const navigate = useNavigate();
  const asof = useAsOf();
  return (
    <TimeChoice
      label={words.label}
      none={words.now}
      value={asof}
      hotkey="t"
      set={(asof) => void navigate({ to: ".", search: ((before: object) => ({ ...before, asof })) as never })}
    />
  );
}

/** What is of that time on a page of the past, and what is not shown. */
export function AsOfNotice({ time }: { time: string }) {
  return (
    <p className="notice plain-notice" role="note">
      {words.past(exactOf(time))}
    </p>
  );
}
