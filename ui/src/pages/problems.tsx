/** Everything that needs somebody: by kind, owner, system and namespace. */
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";

import { problems } from "../api/queries";
import type { ProblemList } from "../api/schema";
import { State } from "../parts/badges";
import { AcknowledgedChoice, Choice } from "../parts/choice";
import { Section, useTitle } from "../parts/page";
import { ProblemRows } from "../parts/problems";
import { Answer, Empty } from "../parts/states";
import { countOf } from "../parts/time";
import { strings } from "../strings";
import { lookOf } from "../systems";
import type { ProblemsSearch } from "./problems-search";

const words = strings.problems;

export function ProblemsPage() {
  useTitle(words.title);
  const search = useSearch({ from: "/problems" });
  const query = useQuery(problems({ ...search }));
  // Of all kinds, so that another can be chosen.
  const all = useQuery(problems({ ...search, problem: undefined, limit: 0 }));
  return (
    <div className="page">
      <h1>{words.title}</h1>
      <p className="row-links">
        <Link to="/discovery">{strings.discovery.title}</Link>
        <Link to="/drift">{strings.drift.title}</Link>
      </p>
      {all.data && <Kinds of={all.data} search={search} />}
      {query.data && <Filters of={query.data} search={search} />}
      <Section title={search.acknowledged === "true" ? words.acknowledged : words.now}>
        <Answer of={query} lines={8}>
          {(found) => <Found of={found} search={search} />}
        </Answer>
      </Section>
    </div>
  );
}

function Found({ of, search }: { of: ProblemList; search: ProblemsSearch }) {
  const more = of.totalCount - of.problems.length;
  const isFiltered = Boolean(search.owner || search.system || search.namespace || search.problem);
  return (
    <>
      {of.problems.length === 0 ? (
        <Empty>{isFiltered || search.acknowledged ? words.noneMatch : strings.home.calm}</Empty>
      ) : (
        <ProblemRows of={of.problems} />
      )}
      {more > 0 && <p className="faint">{strings.home.changedMore(more)}</p>}
      {of.isCut && <p className="faint">{words.cut}</p>}
      {!search.acknowledged && of.acknowledgedCount > 0 && (
        <p>
          <Link to="/problems" search={{ ...search, acknowledged: "true" }}>
            {words.showKnown(of.acknowledgedCount)}
          </Link>
        </p>
      )}
    </>
  );
}

/** How many there are of each kind; each leads to them. */
function Kinds({ of: { counts }, search }: { of: ProblemList; search: ProblemsSearch }) {
  const kinds = Object.entries(counts).filter(([kind, count]) => count > 0 || kind === search.problem);
  if (kinds.length === 0) return null;
  return (
    <ul className="counts" aria-label={words.kinds}>
      {kinds.map(([kind, count]) => (
        <li key={kind}>
          <Link
            to="/problems"
            search={{ ...search, problem: kind === search.problem ? undefined : kind }}
            className="count-link"
            activeOptions={{ exact: true }}
            aria-current={kind === search.problem || undefined}
          >
            <span className="count">{countOf(count)}</span> <State state={kind} />
          </Link>
        </li>
      ))}
    </ul>
  );
}

function Filters({ of, search }: { of: ProblemList; search: ProblemsSearch }) {
  const navigate = useNavigate();
  const change = (part: ProblemsSearch) =>
    void navigate({ to: "/problems", search: { ...search, ...part }, replace: true });
  const isSet = Object.values(search).some(Boolean);
  return (
    <div className="form-row">
      <Choice label={words.owner} value={search.owner} of={of.owners} set={(owner) => change({ owner })} />
      <Choice
        label={strings.graph.system}
        value={search.system}
        of={of.systems}
        say={(name) => lookOf(name).label}
        set={(system) => change({ system })}
      />
      <Choice
        label={strings.graph.namespace}
        value={search.namespace}
        of={of.namespaces}
        set={(namespace) => change({ namespace })}
      />
      <AcknowledgedChoice value={search.acknowledged} set={(acknowledged) => change({ acknowledged })} />
      {isSet && (
        <Link className="button quiet-button" to="/problems" search={{}}>
          {strings.events.clear}
        </Link>
      )}
    </div>
  );
}
