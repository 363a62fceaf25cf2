/** Where a line and a column are in a text. */

/** From the place to the end of the word there; a place outside of the text is its end. */
export function rangeAt(text: string, line: number, column: number): [start: number, end: number] {
  let start = 0;
  for (let at = 1; at < line; at++) {
    const next = text.indexOf("\n", start);
    if (next < 0) return [text.length, text.length];
    start = next + 1;
  }
  const lineEnd = text.indexOf("\n", start);
  const from = Math.min(start + Math.max(0, column - 1), lineEnd < 0 ? text.length : lineEnd);
  const word = /^[\p{L}\p{N}_$]+/u.exec(text.slice(from, from + 200));
  return [from, Math.min(text.length, from + (word ? word[0].length : 1))];
}

/** Select a place in a text box and bring it into view. */
export function selectPlace(box: HTMLTextAreaElement, line: number, column: number): void {
  const [start, end] = rangeAt(box.value, line, column);
  box.focus();
  box.setSelectionRange(start, end);
  const height = Number.parseFloat(getComputedStyle(box).lineHeight) || 18;
  box.scrollTop = Math.max(0, (line - 1) * height - box.clientHeight / 2);
}
