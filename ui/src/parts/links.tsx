/** Links to the pages of things, under their names. */
import { Link } from "@tanstack/react-router";

import type { Named } from "../api/ids";
import { strings } from "../strings";
import { lookOf, systemOfJob, systemOfNamespace } from "../systems";
import { useAsOf } from "./as-of";
import { SystemIcon } from "./icons";

// What a page of the past leads to is shown as of the same time.
export function DatasetLink({ of, system }: { of: Named; system?: string }) {
  const search = { namespace: of.namespace, name: of.name, asof: useAsOf() };
  return (
    <Link className="thing" to="/dataset" search={search} title={titleOf(of)}>
      <SystemIcon system={system ?? systemOfNamespace(of.namespace)} />
      <bdi className="name">{of.name || of.namespace}</bdi>
    </Link>
  );
}

export function JobLink({ of, system }: { of: Named; system?: string }) {
  const search = { namespace: of.namespace, name: of.name, asof: useAsOf() };
  return (
    <Link className="thing job" to="/job" search={search} title={titleOf(of)}>
      <SystemIcon system={system ?? systemOfJob(of.namespace)} />
      <bdi className="name">{of.name || of.namespace}</bdi>
    </Link>
  );
}

/** A dataset or a job of an answer that has both. */
export function NodeLink({ of }: { of: Named & { type: string; system?: string } }) {
  return of.type === "JOB" ? <JobLink of={of} system={of.system} /> : <DatasetLink of={of} system={of.system} />;
}

export function ColumnLink({ of, field }: { of: Named; field: string }) {
  const search = { namespace: of.namespace, name: of.name, field, asof: useAsOf() };
  return (
    <Link className="mono" to="/column" search={search} title={field}>
      <bdi>{field}</bdi>
    </Link>
  );
}

/** Leads to what somebody owns, and what is wrong with it. */
export function OwnerLink({ name }: { name: string }) {
  return (
    <Link className="owner" to="/owner" search={{ name }} title={strings.owner.of(name)}>
      <bdi className="name">{name}</bdi>
    </Link>
  );
}

/** Leads to the report of a tag. */
export function TagLink({ name }: { name: string }) {
  return (
    <Link className="tag" to="/tag" search={{ name }} title={strings.tag.of(name)}>
      <bdi>{name}</bdi>
    </Link>
  );
}

/** Leads to all that is in a namespace. */
export function NamespaceLink({ name }: { name: string }) {
  return (
    <Link to="/browse" search={{ namespace: name }} className="wrap">
      <bdi>{name}</bdi>
    </Link>
  );
}

/** Leads to the namespaces of a system. */
export function SystemLink({ name }: { name: string }) {
  return (
    <Link className="system" to="/browse" search={{ system: name }}>
      <SystemIcon system={name} />
      <bdi className="name">{lookOf(name).label}</bdi>
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
