/** A dataset: its columns and where they come from, who writes and reads it, how much, and since when. */
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import type { Named } from "../api/ids";
import { datasetId } from "../api/ids";
import { dataset, datasetHealth, usage } from "../api/queries";
import type { DatasetShape } from "../api/schema";
import { Aliases } from "../parts/aliases";
import { AsOfChoice } from "../parts/as-of";
import { State } from "../parts/badges";
import { DeleteButton, GoneOrDeleted } from "../parts/deletion";
import { EditDetails } from "../parts/edit-details";
import { EditLog } from "../parts/edit-log";
import { aliasesOf, ownersOf } from "../parts/facets";
import { Icon, SystemIcon } from "../parts/icons";
import { DatasetLink, NamespaceLink, Owner, SystemLink, TagLink } from "../parts/links";
import { Fact, Facts, PageHead, Section } from "../parts/page";
import { useNoteViewed } from "../parts/recent";
import { Answer } from "../parts/states";
import { Ago } from "../parts/time";
import { JsonView } from "../parts/tree";
import { UpstreamHealth } from "../parts/upstream";
import { useSaidOf } from "../parts/use-run-facets";
import { strings } from "../strings";
import { systemOfNamespace } from "../systems";
import { PastDataset } from "./dataset-past";
import { Quality } from "./dataset-quality";
import { Runs } from "./dataset-runs";
import { Schema } from "./dataset-schema";
import { Usage, usersOf } from "./dataset-usage";
import { Versions } from "./dataset-versions";
import { Volume } from "./dataset-volume";

const words = strings.dataset;

export function DatasetPage() {
  const { namespace, name, by, asof } = useSearch({ from: "/dataset" });
  const named = { namespace, name };
  const asked = useQuery(dataset(named));
  // All that is told of a dataset is told under the name that events use.
  const main = asked.data?.shownAs;
  const query = useQuery({ ...dataset(main ?? named), enabled: asked.isSuccess });
  useNoteViewed(query.data && { kind: "dataset", ...named });
  return (
    <div className="page">
      <PageHead
        kind={strings.kinds.dataset}
        icon={<SystemIcon system={systemOfNamespace(namespace)} />}
        title={name || namespace}
        under={<NamespaceLink name={namespace} />}
      >
        <Link to="/lineage" search={{ node: datasetId(named), asof }} className="button primary">
          <Icon name="graph" />
          {words.lineage}
        </Link>
        <Link to="/impact" search={{ node: datasetId(named), asof }} className="button">
          {strings.impact.button}
        </Link>
        <AsOfChoice />
        {query.data && !asof && <DeleteButton type="dataset" named={main ?? named} />}
      </PageHead>
      {main && (
        <p className="notice plain-notice">
          {words.otherName} <DatasetLink of={main} />
        </p>
      )}
      {asof ? (
        <PastDataset named={named} asOf={asof} />
      ) : asked.isError ? (
        <GoneOrDeleted type="dataset" named={named} error={asked.error} retry={() => void asked.refetch()} />
      ) : (
        <Answer of={query} lines={8}>
          {(found) => <Found of={found} named={main ?? named} asked={named} by={by} />}
        </Answer>
      )}
    </div>
  );
}

interface FoundProps {
  of: DatasetShape;
  named: Named;
  /** The name it was opened by. */
  asked: Named;
  by: string | undefined;
}

function Found({ of, named, asked, by }: FoundProps) {
  const users = useQuery(usage(datasetId(named)));
  const names = [named, ...(of.aliases ?? [])];
  const usersAs = (side: "readers" | "writers") => (users.isError ? [] : users.data && usersOf(users.data, side));
  const written = useSaidOf(names, usersAs("writers"), "output");
  const read = useSaidOf(names, usersAs("readers"), "input");
  return (
    <>
      {of.deleted && <p className="notice">{words.deleted}</p>}
      <UpstreamHealth id={datasetId(named)} />
      <About of={of} named={named} asked={asked} />
      <Schema of={of} />
      <div className="two">
        <Volume id={datasetId(named)} named={named} by={by} />
        <Usage of={users} />
      </div>
      <Runs of={written} />
      <div className="two">
        <Versions named={named} />
        <Quality of={of} read={read} />
      </div>
      <EditLog type="dataset" named={named} also={asked} />
      <Section title={words.facets}>
        <JsonView value={of.facets} name={`${of.name}.facets`} openDepth={0} />
      </Section>
    </>
  );
}

function About({ of, named, asked }: { of: DatasetShape; named: Named; asked: Named }) {
  const health = useQuery(datasetHealth({ ...named, all: true }));
  const own = health.data?.datasets[0];
  const owners = ownersOf(of.facets);
  const aliases = of.aliases ?? aliasesOf(of.facets);
  return (
    <section className="card" aria-label={strings.graph.details}>
      <div className="card-head">
        {of.description ? <p className="wrap">{of.description}</p> : <p className="faint">{words.noDescription}</p>}
        <EditDetails
          entity={{ type: "dataset", namespace: named.namespace, name: named.name }}
          before={{ description: of.description ?? "", owners: owners.join("\n"), tags: of.tags }}
        />
      </div>
      {own && !["fresh", "unknown"].includes(own.state) && (
        <p className="notice">
          <State state={own.state} /> {own.reason}
        </p>
      )}
      <Facts>
        <Fact name={strings.graph.system}>
          <SystemLink name={systemOfNamespace(of.namespace)} />
        </Fact>
        <Fact name={words.state}>{own && <State state={own.state} />}</Fact>
        <Fact name={words.written}>
          <Ago time={of.lastModifiedAt} />
        </Fact>
        <Fact name={words.seen}>
          <Ago time={of.updatedAt} />
        </Fact>
        <Fact name={words.lifecycle}>{of.lastLifecycleState}</Fact>
        <Fact name={words.owners}>
          {owners.length > 0 && owners.map((owner) => <Owner key={owner} text={owner} />)}
        </Fact>
        <Fact name={words.tags}>{of.tags.length > 0 && of.tags.map((tag) => <TagLink key={tag} name={tag} />)}</Fact>
        <Fact name={words.aliases}>
          <Aliases of={aliases} named={named} asked={asked} />
        </Fact>
      </Facts>
    </section>
  );
}
