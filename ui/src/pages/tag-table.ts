/** The report of a tag: filtered, and as text for other tools. */
import type { TagAsset } from "../api/schema";
import { csv } from "../graph/text";

export const STATES = ["untagged", "tagged", "masked"] as const;
export type TagState = (typeof STATES)[number];

export interface TagSearch {
  name?: string;
  state?: TagState;
  text?: string;
}

type Raw = Record<string, string | undefined>;

export function readTagSearch(raw: Raw): TagSearch {
  return {
    name: raw.name || undefined,
    state: STATES.find((state) => state === raw.state),
    text: raw.text || undefined,
  };
}

export function chosenAssets(assets: TagAsset[], { state, text = "" }: TagSearch): TagAsset[] {
  const wanted = text.toLowerCase();
  return assets.filter(
    (asset) =>
      (!state || asset.state === state) &&
      [asset.name, asset.namespace, asset.field ?? "", ...asset.owners].some((part) =>
        part.toLowerCase().includes(wanted),
      ),
  );
}

const HEAD = ["state", "type", "namespace", "name", "column", "owners", "hops", "source", "jobs"];

/** The same columns as `headwater tag-report --output csv`. */
export function tagCsv(assets: TagAsset[]): string {
  return csv([
    HEAD,
    ...assets.map((asset) => [
      asset.state,
      asset.type.toLowerCase(),
      asset.namespace,
      asset.name,
      asset.field ?? "",
      asset.owners.join(", "),
      String(asset.hops),
      asset.source ?? "",
      asset.jobs.join(", "),
    ]),
  ]);
}
