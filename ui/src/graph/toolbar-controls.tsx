/** Controls of the tools above the drawing. */
import { Icon } from "../parts/icons";
import { MOST_HOPS } from "./view-state";

export function IconButton({
  name,
  label,
  onClick,
}: {
  name: "fit" | "plus" | "minus";
  label: string;
  onClick: () => void;
}) {
  return (
    <button type="button" aria-label={label} title={label} onClick={onClick}>
      <Icon name={name} />
    </button>
  );
}

export function Hops({
  label,
  title,
  value,
  set,
}: {
  label: string;
  title: string;
  value: number;
  set: (value: number) => void;
}) {
  return (
    <label className="hops" title={title}>
      {label}
      <input
        type="number"
        min={0}
        max={MOST_HOPS}
        value={value}
        aria-label={title}
        onChange={(event) => set(Math.max(0, Math.min(MOST_HOPS, Math.floor(Number(event.target.value)) || 0)))}
      />
    </label>
  );
}

export function Switch({
  label,
  title,
  isOn,
  set,
}: {
  label: string;
  title: string;
  isOn: boolean;
  set: (isOn: boolean) => void;
}) {
  return (
    <label className="switch" title={title}>
      <input
        type="checkbox"
        role="switch"
        aria-checked={isOn}
        checked={isOn}
        onChange={(event) => set(event.target.checked)}
      />
      {label}
    </label>
  );
}
