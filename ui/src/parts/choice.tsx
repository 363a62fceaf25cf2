/** Choices of a filter: one of some values, and whether what is acknowledged is shown. */
import { strings } from "../strings";

interface ChoiceProps {
  label: string;
  value: string | undefined;
  of: string[];
  say?: (value: string) => string;
  set: (value: string | undefined) => void;
}

/** One of some values, or any. */
export function Choice({ label, value, of, say = (one) => one, set }: ChoiceProps) {
  const options = [...new Set(value ? [...of, value] : of)].sort();
  return (
    <label>
      {label}
      <select
        value={value ?? ""}
        disabled={options.length === 0}
        onChange={(event) => set(event.target.value || undefined)}
      >
        <option value="">{strings.graph.any}</option>
        {options.map((option) => (
          <option key={option} value={option}>
            {say(option)}
          </option>
        ))}
      </select>
    </label>
  );
}

type Acknowledged = "true" | "all" | undefined;

export function AcknowledgedChoice({ value, set }: { value: Acknowledged; set: (value: Acknowledged) => void }) {
  const words = strings.problems;
  return (
    <label>
      {words.shown}
      <select value={value ?? ""} onChange={({ target }) => set((target.value || undefined) as Acknowledged)}>
        <option value="">{words.open}</option>
        <option value="true">{words.acknowledged}</option>
        <option value="all">{words.all}</option>
      </select>
    </label>
  );
}
