/** Settings of this browser (key, times, saved views), and where the server's events come from. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";

import { askForKey, currentKey, forgetKey, isKeyKept } from "../api/key";
import { keepPersonName, LONGEST_PERSON, personName } from "../api/person";
import { collectors, whoAmI } from "../api/queries";
import { Fact, Facts, Section, useTitle } from "../parts/page";
import { useIsNameAsked } from "../parts/person-field";
import { forgetView, useSavedViews } from "../parts/saved-views";
import { Answer, Empty } from "../parts/states";
import { useTicking } from "../parts/tick";
import { chooseZone, exactOf, useZone, ZONES } from "../parts/zone";
import { strings } from "../strings";
import { Senders } from "./senders";

const words = strings.settings;

export function SettingsPage() {
  useTitle(words.title);
  return (
    <div className="page">
      <h1>{words.title}</h1>
      <div className="two">
        <Key />
        <Times />
      </div>
      <Views />
      <Collecting />
      <Senders />
    </div>
  );
}

function Key() {
  const query = useQuery(whoAmI());
  const client = useQueryClient();
  const hasKey = Boolean(currentKey());
  return (
    <Section title={words.key}>
      <Answer of={query}>
        {({ actor, scopes }) => (
          <Facts>
            <Fact name={words.who}>
              <bdi className="wrap">{actor}</bdi>
            </Fact>
            <Fact name={words.may}>{scopes.map((scope) => words.scopes[scope] ?? scope).join(", ")}</Fact>
          </Facts>
        )}
      </Answer>
      <Person />
      <p className="faint">{hasKey ? (isKeyKept() ? words.keptKey : words.tabKey) : query.data && words.noKey}</p>
      <div className="actions">
        <button type="button" onClick={askForKey}>
          {strings.key.change}
        </button>
        {hasKey && (
          <button
            type="button"
            onClick={() => {
              forgetKey();
              void client.resetQueries();
            }}
          >
            {words.forget}
          </button>
        )}
      </div>
    </Section>
  );
}

/** The name that edits are recorded under, where no key tells it. */
function Person() {
  const isAsked = useIsNameAsked();
  const [isKept, setKept] = useState(false);
  if (!isAsked) return null;
  return (
    <form
      className="form-row"
      onSubmit={(event) => {
        event.preventDefault();
        keepPersonName(String(new FormData(event.currentTarget).get("person") ?? ""));
        setKept(true);
      }}
    >
      <label title={words.personHelp}>
        {words.person}
        <input name="person" defaultValue={personName()} maxLength={LONGEST_PERSON} onChange={() => setKept(false)} />
      </label>
      <button type="submit">{words.keepPerson}</button>
      <span role="status">{isKept && words.keptHere}</span>
    </form>
  );
}

function Times() {
  const zone = useZone();
  const now = useTicking(() => exactOf(new Date().toISOString()));
  return (
    <Section title={words.times}>
      <fieldset className="choices">
        <legend className="faint">{words.timesHelp}</legend>
        {ZONES.map((one) => (
          <label key={one} className="check">
            <input type="radio" name="zone" checked={zone === one} onChange={() => chooseZone(one)} />
            {words.zones[one]}
          </label>
        ))}
      </fieldset>
      <p>
        {words.now} {now}
      </p>
    </Section>
  );
}

function Views() {
  const views = useSavedViews();
  return (
    <Section title={words.views} note={words.keptHere}>
      {views.length === 0 ? (
        <Empty>{words.noViews}</Empty>
      ) : (
        <ul className="rows tight">
          {views.map(({ name, address }) => (
            <li key={address}>
              <span className="row-main">
                <Link to={address} className="wrap">
                  <bdi>{name}</bdi>
                </Link>
              </span>
              <button
                type="button"
                className="small"
                aria-label={words.forgetTitle(name)}
                onClick={() => forgetView(address)}
              >
                {words.forgetView}
              </button>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function Collecting() {
  const query = useQuery(collectors());
  return (
    <Section
      title={words.collectors}
      note={
        <span className="row-links">
          <Link to="/collectors">{words.toCollectors}</Link>
          <Link to="/ingestions">{words.toIngestions}</Link>
        </span>
      }
    >
      <Answer of={query}>
        {({ collectors }) => (
          <p>
            {collectors.length === 0
              ? words.noCollectors
              : words.collecting(collectors.length, collectors.filter(({ state }) => state === "failing").length)}
          </p>
        )}
      </Answer>
    </Section>
  );
}
