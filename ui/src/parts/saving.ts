/** Hands a file to the person: made on the page, sent nowhere. */
export function save(name: string, content: Blob | string, type = "text/plain;charset=utf-8"): void {
  const blob = typeof content === "string" ? new Blob([content], { type }) : content;
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export function fileName(name: string, ending: string): string {
  const safe = name.replace(/[^\p{L}\p{N}._-]+/gu, "-").slice(0, 80) || "lineage";
  return `${safe}.${ending}`;
}
