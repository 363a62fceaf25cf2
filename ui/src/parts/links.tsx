/** Links to the pages of things, under their names. */
import { Link } from "@tanstack/react-router";

import type { Named } from "../api/ids";
import { strings } from "../strings";
import { systemOfNamespace } from "../systems";
import { SystemIcon } from "./icons";

export function DatasetLink({ of, system }: { of: Named; system?: string }) {
  return (
    <Link className="thing" to="/dataset" search={{ namespace: of.namespace, name: of.name }} title={titleOf(of)}>
      <SystemIcon system={system ?? systemOfNamespace(of.namespace)} />
      <bdi className="name">{of.name || of.namespace}</bdi>
    </Link>
  );
}

export function JobLink({ of, system }: { of: Named; system?: string }) {
  return (
    <Link className="thing job" to="/job" search={{ namespace: of.namespace, name: of.name }} title={titleOf(of)}>
      <SystemIcon system={system ?? systemOfNamespace(of.namespace)} />
      <bdi className="name">{of.name || of.namespace}</bdi>
    </Link>
  );
}

export function ColumnLink({ of, field }: { of: Named; field: string }) {
  return (
    <Link className="mono" to="/column" search={{ namespace: of.namespace, name: of.name, field }} title={field}>
      <bdi>{field}</bdi>
    </Link>
  );
}

/** Leads to what is wrong with what an owner has. */
export function OwnerLink({ name }: { name: string }) {
  return (
    <Link className="owner" to="/problems" search={{ owner: name }} title={strings.problems.ofOwner(name)}>
      <bdi className="name">{name}</bdi>
    </Link>
  );
}

/** An owner with its type, as `team:sales (steward)`. */
export function Owner({ text }: { text: string }) {
  const [, name = text, type = ""] = /^(.*\S)(\s+\([^()]+\))$/.exec(text) ?? [];
  return (
    <span className="owner-of">
      <OwnerLink name={name} />
      <span className="faint">{type}</span>
    </span>
  );
}

export function RunLink({ id }: { id: string }) {
  return (
    <Link className="mono" to="/run" search={{ id }} title={id}>
      {id.length > 13 ? `${id.slice(0, 13)}…` : id}
    </Link>
  );
}

function titleOf({ namespace, name }: Named): string {
  return `${name}\n${namespace}`;
}
