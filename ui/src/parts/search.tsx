/** The search box: finds while one types, and leads to the lineage of what was found. */
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { KeyboardEvent } from "react";
import { useEffect, useId, useRef, useState } from "react";
import { fieldId } from "../api/ids";
import { found, run } from "../api/queries";
import type { RunShape, SearchResult } from "../api/schema";
import { strings } from "../strings";
import { systemOfJob, systemOfNamespace } from "../systems";
import { State } from "./badges";
import { Icon, SystemIcon } from "./icons";

interface Choosing {
  onChoose: (result: SearchResult) => void;
  /** Takes the run whose id was entered, where runs can be chosen. */
  onChooseRun?: (run: RunShape) => void;
  hint?: string;
  isLarge?: boolean;
  /** Whether `/` and Ctrl-K lead here. */
  hasKeys?: boolean;
}

/** Shorter ids of runs are not looked for while somebody types. */
const SHORTEST_ID = 6;

/** The id of what was found: of the column, where it was found by a column. */
export function idOfResult(result: SearchResult): string {
  if (result.match.in !== "column") return result.nodeId;
  return fieldId(result, result.match.text);
}

/** Search that leads to the lineage of what is chosen. */
export function SiteSearch({ isLarge = false }: { isLarge?: boolean }) {
  const navigate = useNavigate();
  return (
    <Search
      isLarge={isLarge}
      hasKeys
      onChoose={(result) => {
        const column = result.match.in === "column" ? idOfResult(result) : undefined;
        void navigate({ to: "/lineage", search: { node: result.nodeId, column } });
      }}
      onChooseRun={({ id }) => void navigate({ to: "/run", search: { id } })}
    />
  );
}

/** The run that a text is the id of, where nothing else is found by it. */
function useRun(text: string, isAsked: boolean): RunShape | undefined {
  const id = text.trim();
  const query = useQuery({ ...run(id), enabled: isAsked && id.length >= SHORTEST_ID && !/\s/.test(id), retry: false });
  return isAsked ? query.data : undefined;
}

export function Search({
  onChoose,
  onChooseRun,
  hint = strings.search.hint,
  isLarge = false,
  hasKeys = false,
}: Choosing) {
  const [text, setText] = useState("");
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const list = useId();
  const asked = useSettled(text);
  const query = useQuery(found(asked));
  const results = asked.trim() && isOpen ? (query.data?.results ?? []) : [];
  const isUnknown =
    isOpen && asked.trim() !== "" && query.isSuccess && !query.isPlaceholderData && results.length === 0;
  const foundRun = useRun(asked, Boolean(onChooseRun) && isUnknown);
  useSearchKeys(hasKeys, input);

  function close() {
    setOpen(false);
    setText("");
    input.current?.blur();
  }

  function choose(result: SearchResult) {
    close();
    onChoose(result);
  }

  function chooseRun(chosen: RunShape) {
    close();
    onChooseRun?.(chosen);
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === "ArrowDown") setAt(Math.min(at + 1, results.length - 1));
    else if (event.key === "ArrowUp") setAt(Math.max(at - 1, 0));
    else if (event.key === "Enter" && results[at]) choose(results[at]);
    else if (event.key === "Enter" && foundRun) chooseRun(foundRun);
    else if (event.key === "Escape") input.current?.blur();
    else return;
    event.preventDefault();
  }

  const isNone = isUnknown && !foundRun;
  const isListed = results.length > 0 || foundRun !== undefined;
  return (
    <search className={isLarge ? "search large" : "search"} aria-label={hint}>
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        role="combobox"
        aria-label={hint}
        aria-expanded={isListed}
        aria-controls={list}
        aria-activedescendant={results[at] || foundRun ? `${list}-${at}` : undefined}
        aria-autocomplete="list"
        autoComplete="off"
        spellCheck={false}
        placeholder={hint}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
          setOpen(true);
        }}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
      />
      {hasKeys && !text && <kbd>{strings.search.keys}</kbd>}
      <div id={list} role="listbox" aria-label={strings.search.label} hidden={!isListed} className="found">
        {results.map((result, index) => (
          <div
            key={`${result.nodeId} ${result.match.text}`}
            id={`${list}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            // Before the input loses its focus, which would close the list.
            onMouseDown={(event) => {
              event.preventDefault();
              choose(result);
            }}
            onMouseMove={() => setAt(index)}
          >
            <Result of={result} />
          </div>
        ))}
        {foundRun && (
          <div
            id={`${list}-0`}
            role="option"
            tabIndex={-1}
            aria-selected
            onMouseDown={(event) => {
              event.preventDefault();
              chooseRun(foundRun);
            }}
          >
            <FoundRun of={foundRun} />
          </div>
        )}
      </div>
      {(isNone || query.isError) && isOpen && (
        <p className="found none" role="status">
          {query.isError ? strings.state.failed : strings.search.none(asked.slice(0, 60))}
        </p>
      )}
    </search>
  );
}

function FoundRun({ of: { id, job, state } }: { of: RunShape }) {
  return (
    <>
      <SystemIcon system={systemOfJob(job?.namespace ?? "")} />
      <span className="found-name">
        <bdi className="name">{job?.name ?? id}</bdi>
        <span className="faint name">
          <bdi>{id}</bdi>
        </span>
      </span>
      <State state={state} />
      <span className="faint">{strings.kinds.run}</span>
    </>
  );
}

function Result({ of: result }: { of: SearchResult }) {
  const isJob = result.type === "JOB";
  return (
    <>
      <SystemIcon system={isJob ? systemOfJob(result.namespace) : systemOfNamespace(result.namespace)} />
      <span className="found-name">
        <bdi className="name">{result.name}</bdi>
        <span className="faint name">
          <bdi>{result.namespace}</bdi>
        </span>
      </span>
      {result.match.in !== "name" && (
        <span className="found-match">
          {strings.search.in[result.match.in]}: <bdi>{result.match.text}</bdi>
        </span>
      )}
      <span className="faint">{isJob ? strings.kinds.job : strings.kinds.dataset}</span>
    </>
  );
}

/** A text once it has not changed for a moment: no question for each letter. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), 120);
    return () => clearTimeout(timer);
  }, [text]);
  return text === "" ? "" : settled;
}

function useSearchKeys(isOn: boolean, input: React.RefObject<HTMLInputElement | null>) {
  useEffect(() => {
    if (!isOn) return;
    function onKey(event: globalThis.KeyboardEvent) {
      const isSlash = event.key === "/" && !isTyping(event.target);
      const isControlK = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey);
      if (!isSlash && !isControlK) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    }
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [isOn, input]);
}

export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
