/** Who wrote and read a dataset in the last two weeks. */
import { useQuery } from "@tanstack/react-query";

import { usage } from "../api/queries";
import type { DatasetUsage, DayUser } from "../api/schema";
import { JobLink } from "../parts/links";
import { Section } from "../parts/page";
import { Answer, Empty } from "../parts/states";
import { Ago, countOf } from "../parts/time";
import { strings } from "../strings";

const words = strings.dataset;

export function Usage({ id }: { id: string }) {
  const query = useQuery(usage(id));
  return (
    <Section title={words.usage} note="14 d">
      <Answer of={query}>
        {(found) =>
          found.days.length === 0 ? (
            <Empty>{words.noUsage}</Empty>
          ) : (
            <>
              <Users title={words.writers} of={totals(found, "writers")} />
              <Users title={words.readers} of={totals(found, "readers")} />
            </>
          )
        }
      </Answer>
    </Section>
  );
}

/** Users over all days, the last one first. */
function totals({ days }: DatasetUsage, side: "readers" | "writers"): DayUser[] {
  const users = new Map<string, DayUser>();
  for (const day of days) {
    for (const user of day[side].jobs) {
      const known = users.get(user.id);
      users.set(user.id, known ? { ...known, runs: known.runs + user.runs } : user);
    }
  }
  return [...users.values()].sort((a, b) => b.lastAt.localeCompare(a.lastAt));
}

function Users({ title, of }: { title: string; of: DayUser[] }) {
  if (of.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul className="rows tight">
        {of.slice(0, 50).map((user) => (
          <li key={user.id}>
            <span className="row-main">
              <JobLink of={user} />
            </span>
            <span className="faint">
              {countOf(user.runs)} {words.runs}
            </span>
            <Ago time={user.lastAt} />
          </li>
        ))}
      </ul>
    </>
  );
}
