/** What a change of a node or a column affects: everything downstream, with whose it is. */
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";

import { readableId } from "../api/ids";
import { impact } from "../api/queries";
import type { AffectedAsset, Impact } from "../api/schema";
import { AsOfChoice, AsOfNotice } from "../parts/as-of";
import { Icon } from "../parts/icons";
import { NodeLink, OwnerLink } from "../parts/links";
import { PageHead, Section } from "../parts/page";
import { fileName, save } from "../parts/saving";
import { SiteSearch } from "../parts/search";
import { Answer, Empty } from "../parts/states";
import { Ago } from "../parts/time";
import { strings } from "../strings";
import { lookOf } from "../systems";
import type { ImpactSearch } from "./impact-table";
import { byOwner, chosen, columnsOf, impactCsv, impactMarkdown, impactTicket, NOBODY, SORTS } from "./impact-table";

const words = strings.impact;
/** Rows of the table; files have all of them. */
const MOST_ROWS = 500;

export function ImpactPage() {
  const { node = "", asof } = useSearch({ from: "/impact" });
  const query = useQuery({ ...impact(node, asof), enabled: Boolean(node) });
  if (!node) {
    return (
      <div className="page pick">
        <h1>{words.title}</h1>
        <p className="faint">{words.pick}</p>
        <SiteSearch isLarge />
      </div>
    );
  }
  return (
    <div className="page">
      <PageHead kind={words.title} title={readableId(node)} under={words.help}>
        <Link
          to="/lineage"
          search={{
            node: node.startsWith("datasetField:") ? undefined : node,
            column: node.startsWith("datasetField:") ? node : undefined,
            asof,
          }}
          className="button"
        >
          <Icon name="graph" />
          {strings.graph.title}
        </Link>
        <AsOfChoice />
      </PageHead>
      {asof && <AsOfNotice time={asof} />}
      <Answer of={query} lines={8}>
        {(found) => <Found of={found} node={node} />}
      </Answer>
    </div>
  );
}

function Found({ of, node }: { of: Impact; node: string }) {
  const search = useSearch({ from: "/impact" });
  const assets = chosen(of.assets, search);
  const groups = search.grouped ? byOwner(assets) : [["", assets] as const];
  return (
    <>
      {of.isCut && <p className="notice">{words.cut(of.totalCount)}</p>}
      {of.incomplete && <p className="notice">{words.incomplete}</p>}
      <Section title={words.count(assets.length)} note={<Copies assets={assets} node={node} />}>
        <Filters of={of} />
        {assets.length === 0 && <Empty>{of.totalCount === 0 ? words.none : words.noneMatch}</Empty>}
        {groups.map(([owner, own]) => (
          <div key={owner}>
            {owner && (
              <h3>
                {owner === NOBODY ? words.nobody : <OwnerLink name={owner} />}{" "}
                <span className="faint">{own.length}</span>
              </h3>
            )}
            {own.length > 0 && <AssetTable of={own} owner={owner} />}
          </div>
        ))}
      </Section>
    </>
  );
}

function Filters({ of }: { of: Impact }) {
  const search = useSearch({ from: "/impact" });
  const navigate = useNavigate();
  const set = (part: ImpactSearch) => void navigate({ to: "/impact", search: { ...search, ...part }, replace: true });
  return (
    <div className="form-row">
      <label>
        {words.find}
        <input value={search.text ?? ""} onChange={(event) => set({ text: event.target.value || undefined })} />
      </label>
      <label>
        {words.owner}
        <select value={search.owner ?? ""} onChange={(event) => set({ owner: event.target.value || undefined })}>
          <option value="">{strings.problems.all}</option>
          {of.owners.map((owner) => (
            <option key={owner}>{owner}</option>
          ))}
          <option value={NOBODY}>{words.nobody}</option>
        </select>
      </label>
      <label>
        {words.kind}
        <select
          value={search.kind ?? ""}
          onChange={(event) => set({ kind: (event.target.value || undefined) as ImpactSearch["kind"] })}
        >
          <option value="">{strings.problems.all}</option>
          <option value="dataset">{strings.browse.datasets}</option>
          <option value="job">{strings.browse.jobs}</option>
        </select>
      </label>
      <label>
        {words.sort}
        <select
          value={search.sort ?? "hops"}
          onChange={(event) => set({ sort: SORTS.find((sort) => sort === event.target.value && sort !== "hops") })}
        >
          {SORTS.map((sort) => (
            <option key={sort} value={sort}>
              {words.sorts[sort]}
            </option>
          ))}
        </select>
      </label>
      <button
        type="button"
        aria-pressed={Boolean(search.grouped)}
        onClick={() => set({ grouped: search.grouped ? undefined : true })}
      >
        {words.group}
      </button>
    </div>
  );
}

function Copies({ assets, node }: { assets: AffectedAsset[]; node: string }) {
  const [isCopied, setCopied] = useState(false);
  const name = readableId(node);
  return (
    <span className="tail">
      <button type="button" onClick={() => save(fileName(name, "csv"), impactCsv(assets), "text/csv;charset=utf-8")}>
        CSV
      </button>
      <button type="button" onClick={() => save(fileName(name, "md"), impactMarkdown(words.of(name), assets))}>
        Markdown
      </button>
      <button
        type="button"
        onClick={() =>
          void navigator.clipboard
            .writeText(impactTicket(words.of(name), assets, location.href))
            .then(() => setCopied(true))
        }
      >
        {words.ticket}
      </button>
      <span role="status">{isCopied && words.copied}</span>
    </span>
  );
}

function AssetTable({ of, owner }: { of: AffectedAsset[]; owner: string }) {
  const label = owner ? words.ofOwner(owner === NOBODY ? words.nobody : owner) : words.title;
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label={label}>
      <table className="impact-table">
        <thead>
          <tr>
            <th scope="col">{strings.browse.name}</th>
            <th scope="col">{words.columns}</th>
            <th scope="col">{words.dependency}</th>
            <th scope="col" className="num">
              {words.away}
            </th>
            <th scope="col">{strings.graph.system}</th>
            <th scope="col">{words.owner}</th>
            <th scope="col">{words.used}</th>
          </tr>
        </thead>
        <tbody>
          {of.slice(0, MOST_ROWS).map((asset) => (
            <tr key={asset.id}>
              <td>
                <NodeLink of={asset} />
              </td>
              <td className="mono wrap">{columnsOf(asset)}</td>
              <td>{asset.dependency && words.dependencies[asset.dependency]}</td>
              <td className="num">{asset.hops}</td>
              <td>{lookOf(asset.system).label}</td>
              <td>
                {asset.owners.map((owner) => (
                  <OwnerLink key={owner} name={owner} />
                ))}
              </td>
              <td>
                <Ago time={asset.lastUsedAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {of.length > MOST_ROWS && <p className="faint">{words.shown(MOST_ROWS, of.length)}</p>}
    </div>
  );
}
