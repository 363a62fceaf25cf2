/** The columns of a dataset, nested ones under theirs, each with where it comes from. */
import { useMemo, useState } from "react";
import { shortName } from "../api/ids";
import type { ColumnLineageShape, DatasetShape } from "../api/schema";
import { EditDetails } from "../parts/edit-details";
import { ColumnLink, TagLink } from "../parts/links";
import { Section } from "../parts/page";
import type { FlatField } from "../parts/schema-diff";
import { flatten } from "../parts/schema-diff";
import { Empty } from "../parts/states";
import { VirtualRows } from "../parts/virtual";
import { strings } from "../strings";

const words = strings.dataset;
const FEW = 12;

/** A dataset with its columns, of now or of a time. */
type Columns = Pick<DatasetShape, "namespace" | "name" | "fields" | "columnLineage">;

export function Schema({ of, isPast = false }: { of: Columns; isPast?: boolean }) {
  const [text, setText] = useState("");
  const all = useMemo(() => flatten(of.fields), [of.fields]);
  const sources = useMemo(() => new Map((of.columnLineage ?? []).map((one) => [one.name, one])), [of.columnLineage]);
  const wanted = text.trim().toLowerCase();
  const fields = wanted ? all.filter(({ path }) => path.toLowerCase().includes(wanted)) : all;
  return (
    <Section title={words.schema} note={all.length > 0 ? words.columnCount(all.length) : undefined}>
      {all.length === 0 && <Empty>{words.noSchema}</Empty>}
      {all.length > FEW && (
        <div className="card-tools">
          <input
            type="search"
            value={text}
            placeholder={words.findColumn}
            aria-label={words.findColumn}
            onChange={(event) => setText(event.target.value)}
          />
        </div>
      )}
      {all.length > 0 && (
        <div className="schema">
          <div className="schema-row head">
            <span>{words.column}</span>
            <span>{words.type}</span>
            <span>{words.description}</span>
            <span>{words.from}</span>
          </div>
          {fields.length === 0 && <Empty>{strings.graph.noColumn}</Empty>}
          <VirtualRows count={fields.length} height={34} most={544} label={words.schema}>
            {(index) => <Row of={of} isPast={isPast} flat={fields[index]!} from={sources.get(fields[index]!.path)} />}
          </VirtualRows>
          {sources.size === 0 && <Empty>{words.noColumns}</Empty>}
        </div>
      )}
    </Section>
  );
}

interface RowProps {
  of: Columns;
  isPast: boolean;
  flat: FlatField;
  from: ColumnLineageShape | undefined;
}

function Row({ of, isPast, flat, from }: RowProps) {
  const { field, path, depth } = flat;
  return (
    <div className="schema-row">
      <span className="schema-name" style={{ paddingLeft: depth * 16 }}>
        <ColumnLink of={of} field={path} />
        {!isPast && field.tags.map((tag) => <TagLink key={tag} name={tag} />)}
        {!isPast && (
          <EditDetails
            isSmall
            entity={{ type: "dataset", namespace: of.namespace, name: of.name, field: path }}
            before={{ description: field.description ?? "", owners: "", tags: field.tags }}
          />
        )}
      </span>
      <span className="mono faint" title={field.type ?? ""}>
        {field.type}
      </span>
      <span title={field.description ?? ""}>{field.description}</span>
      <span className="faint" title={tellSources(from)}>
        {tellSources(from)}
      </span>
    </div>
  );
}

function tellSources(from: ColumnLineageShape | undefined): string {
  if (!from) return "";
  const names = from.inputFields.map(({ dataset, field }) => `${shortName(dataset)}.${field}`);
  return [...new Set(names)].join(", ");
}
