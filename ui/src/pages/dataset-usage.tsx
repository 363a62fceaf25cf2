/** Who wrote and read a dataset in the last two weeks. */
import type { UseQueryResult } from "@tanstack/react-query";

import type { DatasetUsage, DayUser } from "../api/schema";
import { JobLink } from "../parts/links";
import { Section } from "../parts/page";
import { Answer, Empty } from "../parts/states";
import { Ago } from "../parts/time";
import { strings } from "../strings";

const words = strings.dataset;

export function Usage({ of }: { of: UseQueryResult<DatasetUsage> }) {
  return (
    <Section title={words.usage} note={words.lastDays}>
      <Answer of={of}>
        {(found) =>
          found.days.length === 0 ? (
            <Empty>{words.noUsage}</Empty>
          ) : (
            <>
              <Users title={words.writers} of={usersOf(found, "writers")} />
              <Users title={words.readers} of={usersOf(found, "readers")} />
            </>
          )
        }
      </Answer>
    </Section>
  );
}

/** Users over all days, the last one first. */
export function usersOf({ days }: Pick<DatasetUsage, "days">, side: "readers" | "writers"): DayUser[] {
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
            <span className="faint">{words.runCount(user.runs)}</span>
            <Ago time={user.lastAt} />
          </li>
        ))}
      </ul>
    </>
  );
}
