/** A tag: what has it, where values flow on without it, where they are masked; without a name, all tags. */
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";

import { readableId } from "../api/ids";
import { tagReport, tags } from "../api/queries";
import type { TagAsset, TagReport } from "../api/schema";
import { ColumnLink, NodeLink, OwnerLink, TagLink } from "../parts/links";
import { NameList } from "../parts/name-list";
import { PageHead, Section, useTitle } from "../parts/page";
import { fileName, save } from "../parts/saving";
import { Answer, Empty } from "../parts/states";
import { countOf } from "../parts/time";
import { strings } from "../strings";
import type { TagSearch, TagState } from "./tag-table";
import { chosenAssets, STATES, tagCsv } from "./tag-table";

const words = strings.tag;
/** Rows of the table; the file has all of them. */
const MOST_ROWS = 500;
const TONES: Record<string, string> = { untagged: "warn", tagged: "busy", masked: "good" };

export function TagPage() {
  const { name } = useSearch({ from: "/tag" });
  return name ? <One name={name} /> : <All />;
}

function All() {
  useTitle(words.title);
  const query = useQuery(tags());
  return (
    <div className="page">
      <h1>{words.title}</h1>
      <Section title={words.all}>
        <Answer of={query} lines={6}>
          {({ tags }) => (
            <NameList
              names={tags.map(({ name }) => name)}
              find={words.find}
              none={words.none}
              noneMatch={words.noneMatch}
            >
              {(name) => <TagLink name={name} />}
            </NameList>
          )}
        </Answer>
      </Section>
    </div>
  );
}

function One({ name }: { name: string }) {
  const query = useQuery(tagReport(name));
  return (
    <div className="page">
      <PageHead kind={words.kind} title={name} under={query.data?.description}>
        <Link to="/tag" className="button">
          {words.all}
        </Link>
      </PageHead>
      <Answer of={query} lines={8}>
        {(report) => <Report of={report} name={name} />}
      </Answer>
    </div>
  );
}

function Report({ of, name }: { of: TagReport; name: string }) {
  const search = useSearch({ from: "/tag" });
  const navigate = useNavigate();
  const assets = chosenAssets(of.assets, search);
  const set = (part: TagSearch) => void navigate({ to: "/tag", search: { ...search, ...part }, replace: true });
  return (
    <>
      {of.isCut && <p className="notice">{words.cut}</p>}
      {of.incomplete && <p className="notice">{words.incomplete}</p>}
      <Counts of={of} search={search} />
      <Section
        title={words.of(name)}
        note={
          <button
            type="button"
            onClick={() => save(fileName(`tag-${name}`, "csv"), tagCsv(assets), "text/csv;charset=utf-8")}
          >
            CSV
          </button>
        }
      >
        {search.state && <p className="faint">{words.helps[search.state]}</p>}
        <div className="form-row">
          <label>
            {words.findAsset}
            <input value={search.text ?? ""} onChange={(event) => set({ text: event.target.value || undefined })} />
          </label>
        </div>
        {assets.length === 0 ? (
          <Empty>{of.totalCount === 0 ? words.nothing : words.noneOf}</Empty>
        ) : (
          <AssetTable of={assets} name={name} />
        )}
      </Section>
    </>
  );
}

function Counts({ of: { counts }, search }: { of: TagReport; search: TagSearch }) {
  return (
    <ul className="counts" aria-label={words.byState}>
      {STATES.map((state) => (
        <li key={state} className={counts[state] ? undefined : "none"}>
          <Link
            to="/tag"
            search={{ ...search, state: state === search.state ? undefined : state }}
            className="count-link"
            title={words.helps[state]}
            activeOptions={{ exact: true }}
            aria-current={state === search.state || undefined}
          >
            <span className="count">{countOf(counts[state])}</span> <TagStateMark of={state} />
          </Link>
        </li>
      ))}
    </ul>
  );
}

function TagStateMark({ of }: { of: TagState | string }) {
  return <span className={`state ${TONES[of] ?? "quiet"}`}>{words.states[of] ?? of}</span>;
}

function AssetTable({ of, name }: { of: TagAsset[]; name: string }) {
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label={words.of(name)}>
      <table className="impact-table">
        <thead>
          <tr>
            {[strings.dataset.state, words.what, words.owners, words.from, words.by, words.away].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {of.slice(0, MOST_ROWS).map((asset) => (
            <Row key={`${asset.state} ${asset.id}`} of={asset} />
          ))}
        </tbody>
      </table>
      {of.length > MOST_ROWS && <p className="faint">{words.shown(MOST_ROWS, of.length)}</p>}
    </div>
  );
}

function Row({ of }: { of: TagAsset }) {
  return (
    <tr>
      <td>
        <TagStateMark of={of.state} />
      </td>
      <td className="wrap">
        <NodeLink of={of} />
        {of.field && <ColumnLink of={of} field={of.field} />}
      </td>
      <td>
        {of.owners.map((owner) => (
          <OwnerLink key={owner} name={owner} />
        ))}
      </td>
      <td className="wrap">
        {of.source && (
          <Link
            to="/lineage"
            search={
              of.source.startsWith("datasetField:") ? { column: of.source, node: undefined } : { node: of.source }
            }
          >
            <bdi>{readableId(of.source)}</bdi>
          </Link>
        )}
      </td>
      <td className="wrap">
        {of.jobs.map((job) => (
          <Link key={job} to="/lineage" search={{ node: job }}>
            <bdi>{readableId(job)}</bdi>
          </Link>
        ))}
      </td>
      <td className="num">{of.hops || ""}</td>
    </tr>
  );
}
