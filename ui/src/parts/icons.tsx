/** Small drawings: the icon of a system, and those of buttons. */
import { lookOf } from "../systems";

export function SystemIcon({ system, size = 18 }: { system: string; size?: number }) {
  const look = lookOf(system);
  return (
    <svg
      className="system-icon"
      style={{ "--hue": look.hue } as React.CSSProperties}
      width={size}
      height={size}
      viewBox="0 0 16 16"
      aria-hidden="true"
    >
      <path d={look.icon} />
    </svg>
  );
}

const DRAWN = {
  search: "M7 2.500a4.500 4.500 0 1 1 0 9 4.500 4.500 0 0 1 0-9zM10.500 10.500L14 14",
  sun: "M8 5a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM8 1v1.500M8 13.500V15M1 8h1.500M13.500 8H15M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1",
  moon: "M13 9.500A5.500 5.500 0 0 1 6.500 3 5.500 5.500 0 1 0 13 9.500z",
  close: "M4 4l8 8M12 4l-8 8",
  plus: "M8 3.500v9M3.500 8h9",
  minus: "M3.500 8h9",
  fit: "M2.500 6V2.500H6M10 2.500h3.500V6M13.500 10v3.500H10M6 13.500H2.500V10",
  link: "M6.500 9.500l3-3M7 4.500l1.500-1.500a2.800 2.800 0 0 1 4 4L11 8.500M9 11.500L7.500 13a2.800 2.800 0 0 1-4-4L5 7.500",
  download: "M8 2.500v8M4.500 7.500L8 11l3.500-3.500M3 13.500h10",
  table: "M2.500 3h11v10h-11zM2.500 6.500h11M6.500 6.500V13",
  filter: "M2.500 3h11L9.500 8v5l-3-1.500V8z",
  columns: "M3 3.500h10M3 8h10M3 12.500h6",
  target: "M8 2.500a5.500 5.500 0 1 1 0 11 5.500 5.500 0 0 1 0-11zM8 6a2 2 0 1 1 0 4 2 2 0 0 1 0-4z",
  graph:
    "M3.500 2.500h3v3h-3zM3.500 10.500h3v3h-3zM10 6.500h3v3h-3zM6.500 4c2 0 1.500 4 3.500 4M6.500 12c2 0 1.500-4 3.500-4",
  reset: "M3 8a5 5 0 1 0 1.500-3.500L3 6M3 2.500V6h3.500",
  clock: "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM8 5v3l2 1.500",
  edit: "M3 13l.8-3.200L11 2.600l2.400 2.400-7.200 7.200zM9.500 4.100l2.400 2.400",
  settings: "M2.500 4.500h6M11.500 4.500h2M2.500 11.500h2M7.500 11.500h6M8.500 2.500h3v4h-3zM4.500 9.500h3v4h-3z",
  save: "M4 2.500h8v11l-4-3-4 3z",
  open: "M6 3H3v10h10v-3M9 3h4v4M13 3L7.500 8.500",
};

export function Icon({ name, size = 16 }: { name: keyof typeof DRAWN; size?: number }) {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      <path d={DRAWN[name]} />
    </svg>
  );
}
