/** An owner: what needs attention of what they own, and all of it; without a name, all owners. */
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";

import { ownedBy, owners, problems } from "../api/queries";
import type { OwnedList } from "../api/schema";
import { NamespaceLink, NodeLink, OwnerLink, SystemLink } from "../parts/links";
import { NameList } from "../parts/name-list";
import { PageHead, Section, useTitle } from "../parts/page";
import { ProblemRows } from "../parts/problems";
import { Answer, Empty } from "../parts/states";
import { Ago } from "../parts/time";
import { strings } from "../strings";

const words = strings.owner;

export function OwnerPage() {
  const { name } = useSearch({ from: "/owner" });
  return name ? <One name={name} /> : <All />;
}

function All() {
  useTitle(words.title);
  const query = useQuery(owners());
  return (
    <div className="page">
      <h1>{words.title}</h1>
      <Section title={words.all}>
        <Answer of={query} lines={6}>
          {({ owners }) => (
            <NameList names={owners} find={words.find} none={words.none} noneMatch={words.noneMatch}>
              {(name) => <OwnerLink name={name} />}
            </NameList>
          )}
        </Answer>
      </Section>
    </div>
  );
}

function One({ name }: { name: string }) {
  const query = useQuery(ownedBy(name));
  const wrong = useQuery(problems({ owner: name }));
  return (
    <div className="page">
      <PageHead kind={words.kind} title={name}>
        <Link to="/owner" className="button">
          {words.all}
        </Link>
      </PageHead>
      <Section
        title={words.problems}
        note={
          <Link to="/problems" search={{ owner: name }}>
            {words.allProblems}
          </Link>
        }
      >
        <Answer of={wrong}>
          {({ problems }) => (problems.length === 0 ? <Empty>{words.calm}</Empty> : <ProblemRows of={problems} />)}
        </Answer>
      </Section>
      <Section title={words.assets(query.data?.totalCount ?? 0)}>
        <Answer of={query} lines={6}>
          {(list) => (list.assets.length === 0 ? <Empty>{words.nothing}</Empty> : <Owned of={list} name={name} />)}
        </Answer>
      </Section>
    </div>
  );
}

function Owned({ of: { assets, totalCount }, name }: { of: OwnedList; name: string }) {
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label={words.of(name)}>
      <table className="impact-table">
        <thead>
          <tr>
            <th scope="col">{strings.browse.name}</th>
            <th scope="col">{strings.graph.namespace}</th>
            <th scope="col">{strings.graph.system}</th>
            <th scope="col">{words.updated}</th>
          </tr>
        </thead>
        <tbody>
          {assets.map((asset) => (
            <tr key={asset.id}>
              <td>
                <NodeLink of={asset} />
              </td>
              <td className="wrap">
                <NamespaceLink name={asset.namespace} />
              </td>
              <td>
                <SystemLink name={asset.system || "unknown"} />
              </td>
              <td>
                <Ago time={asset.updatedAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {totalCount > assets.length && <p className="faint">{words.cut(assets.length, totalCount)}</p>}
    </div>
  );
}
