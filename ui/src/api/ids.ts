/** Node ids, as the API has them, and the addresses of pages made from them. */

/** A name of a dataset or a job. */
export interface Named {
  namespace: string;
  name: string;
}

export const datasetId = ({ namespace, name }: Named): string => `dataset:${namespace}:${name}`;
export const jobId = ({ namespace, name }: Named): string => `job:${namespace}:${name}`;
export const fieldId = ({ namespace, name }: Named, field: string): string =>
  `datasetField:${namespace}:${name}:${field}`;

export const isJobId = (id: string): boolean => id.startsWith("job:");

/** A likely reading of an id, for a title until the server has told the names. */
export function readableId(id: string): string {
  return id.replace(/^(dataset|job|datasetField):/, "");
}

/** The last part of a name, by which people know it. */
export function shortName(name: string): string {
  const parts = name.split(/[./]/).filter(Boolean);
  return parts[parts.length - 1] ?? name;
}
