/** The name under which edits are recorded where no key tells it; asked once, and kept in this browser. */
const NAME = "headwater-person";
/** As long as the server takes. */
export const LONGEST_PERSON = 64;

export function personName(): string {
  return localStorage.getItem(NAME) ?? "";
}

export function keepPersonName(name: string): void {
  const kept = name.trim().slice(0, LONGEST_PERSON);
  if (kept) localStorage.setItem(NAME, kept);
  else localStorage.removeItem(NAME);
}

/** The header that tells the server; it counts only where no key is required. */
export function personHeader(): Record<string, string> {
  const name = personName();
  return name ? { "Headwater-Person": encodeURIComponent(name) } : {};
}
