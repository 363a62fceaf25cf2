/** Ids that are asked for together: as many as an address has room for. */

const MOST_IDS = 50;
const MOST_LETTERS = 6000;

/** The first batches stay as they are when another id follows: what was answered is not asked again. */
export function inBatches(ids: Iterable<string>): string[][] {
  const batches: string[][] = [];
  let last: string[] = [];
  let letters = 0;
  for (const id of ids) {
    const more = encodeURIComponent(id).length;
    if (last.length === 0 || last.length === MOST_IDS || letters + more > MOST_LETTERS) {
      last = [];
      batches.push(last);
      letters = 0;
    }
    last.push(id);
    letters += more;
  }
  return batches;
}
