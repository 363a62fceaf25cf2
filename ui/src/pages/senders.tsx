/** Who sends events: producers with their last event, how many, and what was rejected. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { senders } from "../api/queries";
import type { SenderShape } from "../api/schema";
import { NamespaceLink } from "../parts/links";
import { Section } from "../parts/page";
import { Answer, Empty } from "../parts/states";
import { Ago, countOf } from "../parts/time";
import { exactOf } from "../parts/zone";
import { strings } from "../strings";

const words = strings.senders;

export function Senders() {
  const query = useQuery(senders());
  return (
    <Section title={words.title} note={query.data && words.note(exactOf(query.data.since), query.data.read)}>
      <Answer of={query} lines={5}>
        {({ senders, totalCount }) =>
          senders.length === 0 ? (
            <Empty>{words.none}</Empty>
          ) : (
            <div className="scroll" tabIndex={0} role="region" aria-label={words.title}>
              <table className="impact-table">
                <thead>
                  <tr>
                    {[words.producer, words.namespaces, words.last, words.rate, words.rejected].map((title) => (
                      <th key={title} scope="col">
                        {title}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {senders.map((sender) => (
                    <Row key={sender.producer} of={sender} />
                  ))}
                </tbody>
              </table>
              {totalCount > senders.length && <p className="faint">{words.more(totalCount - senders.length)}</p>}
            </div>
          )
        }
      </Answer>
    </Section>
  );
}

function Row({ of }: { of: SenderShape }) {
  const more = of.namespaceCount - of.namespaces.length;
  return (
    <tr>
      <td className="wrap">
        {of.producer ? <bdi>{of.producer}</bdi> : <span className="faint">{words.unnamed}</span>}
      </td>
      <td className="wrap">
        <ul className="plain">
          {of.namespaces.map((name) => (
            <li key={name}>
              <NamespaceLink name={name} />
            </li>
          ))}
        </ul>
        {more > 0 && <span className="faint">{words.more(more)}</span>}
      </td>
      <td>
        <Ago time={of.lastEventAt} />
      </td>
      <td className="num">{countOf(of.perHour)}</td>
      <td className="wrap">
        {of.rejected > 0 ? (
          <>
            <Link to="/events" search={{ kind: "rejected" }} className="bad-text">
              {countOf(of.rejected)}
            </Link>{" "}
            <span className="faint">
              <bdi>{of.lastReason}</bdi>
            </span>
          </>
        ) : (
          0
        )}
      </td>
    </tr>
  );
}
