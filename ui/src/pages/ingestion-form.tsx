/** The form of an ingestion: its name, source, filters and schedule; a test, and a review. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { useId, useState } from "react";

import { checkIngestion, ingestions, putIngestion } from "../api/queries";
import type { IngestionAnswer, IngestionCheck } from "../api/schema";
import { Section } from "../parts/page";
import { strings } from "../strings";
import type { Field, Source, Values } from "./ingestion-fields";
import { bodyOf, fieldsOf, keyOf, sourceOf, valuesOf } from "./ingestion-fields";

const words = strings.ingestions;
const SOURCES: Source[] = ["kafka", "kinesis", "files"];
const SECTIONS = ["broker", "options", "schedule"] as const;

export function IngestionForm({ of, close }: { of?: IngestionAnswer; close: () => void }) {
  const [name, setName] = useState(of?.name ?? "");
  const [source, setSource] = useState(sourceOf(of));
  const [values, setValues] = useState(() => valuesOf(of));
  const client = useQueryClient();
  const body = bodyOf(values, source, of);
  const testing = useMutation({ mutationFn: () => checkIngestion(name || "new", body) });
  const saving = useMutation({
    mutationFn: () => putIngestion(name, body),
    onSuccess: async () => {
      close();
      await client.invalidateQueries({ queryKey: ingestions().queryKey });
    },
  });
  const set = (field: Field, value: string | boolean) => setValues({ ...values, [keyOf(field)]: value });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    saving.mutate();
  };
  const error = saving.error ?? testing.error;
  return (
    <Section title={of ? words.change(of.name) : words.add}>
      <form className="ingestion-form" onSubmit={submit}>
        <Labelled label={words.name} help={of ? words.fixed : words.nameHelp}>
          {(ids) => (
            <input
              {...ids}
              value={name}
              required
              maxLength={100}
              pattern="[A-Za-z0-9][A-Za-z0-9_.\-]*"
              readOnly={of !== undefined}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Labelled>
        {fieldsOf("names", source).map((field) => (
          <FieldInput key={keyOf(field)} field={field} values={values} set={set} />
        ))}
        <Labelled label={words.source} help={words.sourceHelp}>
          {(ids) => (
            <select {...ids} value={source} onChange={(event) => setSource(event.target.value as Source)}>
              {SOURCES.map((each) => (
                <option key={each} value={each}>
                  {words.sources[each]}
                </option>
              ))}
            </select>
          )}
        </Labelled>
        {SECTIONS.map((section) => (
          <fieldset key={section}>
            <legend>{words.sections[section]}</legend>
            {fieldsOf(section, source)
              .filter(({ path }) => path !== "cron" || values.interval === "cron")
              .map((field) => (
                <FieldInput key={keyOf(field)} field={field} values={values} set={set} />
              ))}
          </fieldset>
        ))}
        <details>
          <summary>{words.review}</summary>
          <section className="scroll" tabIndex={0} aria-label={words.review}>
            <pre>{JSON.stringify(body, null, 2)}</pre>
          </section>
        </details>
        {testing.data && <Steps of={testing.data} />}
        {error && (
          <p className="bad-text wrap" role="alert">
            {error.message}
          </p>
        )}
        <div className="actions">
          <button type="submit" className="primary" disabled={saving.isPending}>
            {words.save}
          </button>
          <button type="button" disabled={testing.isPending} onClick={() => testing.mutate()}>
            {testing.isPending ? words.testing : words.test}
          </button>
          <button type="button" onClick={close}>
            {strings.key.cancel}
          </button>
        </div>
      </form>
    </Section>
  );
}

interface InputProps {
  field: Field;
  values: Values;
  set: (field: Field, value: string | boolean) => void;
}

function FieldInput({ field, values, set }: InputProps) {
  const value = values[keyOf(field)] ?? "";
  const label = words.fields[field.path] ?? field.path;
  const help = words.help[field.path] ?? "";
  return (
    <Labelled label={label} help={help} isCheck={field.kind === "check"}>
      {(ids) => {
        if (field.kind === "check") {
          const change = (isOn: boolean) => set(field, isOn);
          return (
            <input
              {...ids}
              type="checkbox"
              checked={value === true}
              onChange={(event) => change(event.target.checked)}
            />
          );
        }
        if (field.kind === "choice") {
          return (
            <select {...ids} value={String(value)} onChange={(event) => set(field, event.target.value)}>
              {field.choices?.map((each) => (
                <option key={each} value={each}>
                  {each || words.noChoice}
                </option>
              ))}
            </select>
          );
        }
        const type = field.kind === "number" || field.kind === "date" ? field.kind : "text";
        return (
          <input
            {...ids}
            type={type}
            value={String(value)}
            required={field.isRequired}
            min={type === "number" ? 0 : undefined}
            step={type === "number" ? "any" : undefined}
            autoComplete="off"
            onChange={(event) => set(field, event.target.value)}
          />
        );
      }}
    </Labelled>
  );
}

interface LabelledProps {
  label: string;
  help: string;
  isCheck?: boolean;
  children: (ids: { id: string; "aria-describedby": string }) => React.ReactNode;
}

function Labelled({ label, help, isCheck = false, children }: LabelledProps) {
  const id = useId();
  const helpId = `${id}-help`;
  return (
    <div className={isCheck ? "field check" : "field"}>
      <label htmlFor={id}>{label}</label>
      {children({ id, "aria-describedby": helpId })}
      <p id={helpId} className="faint">
        {help}
      </p>
    </div>
  );
}

function Steps({ of }: { of: IngestionCheck }) {
  return (
    <ol className="plain" aria-label={words.tested}>
      {of.steps.map((step) => (
        <li key={step.name} className="wrap">
          <span className={`state ${words.stepTones[step.state] ?? "quiet"}`}>{step.state}</span> {step.name}:{" "}
          <bdi>{step.detail}</bdi>
        </li>
      ))}
    </ol>
  );
}
