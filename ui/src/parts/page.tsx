/** The frame of a page: its title in the window, its heading, its sections. */

import type { ReactNode } from "react";
import { useEffect } from "react";

import { strings } from "../strings";

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title ? `${title.slice(0, 120)} · ${strings.product}` : strings.product;
  }, [title]);
}

export function PageHead({
  kind,
  title,
  under,
  icon,
  children,
}: {
  kind: string;
  title: string;
  under?: ReactNode;
  icon?: ReactNode;
  children?: ReactNode;
}) {
  useTitle(title);
  return (
    <div className="page-head">
      <div className="page-title">
        <p className="kind">
          {icon}
          {kind}
        </p>
        <h1>
          <bdi className="wrap">{title}</bdi>
        </h1>
        {under && <p className="faint wrap">{under}</p>}
      </div>
      {children && <div className="actions">{children}</div>}
    </div>
  );
}

export function Section({
  title,
  note,
  children,
  id,
}: {
  title: string;
  note?: ReactNode;
  children: ReactNode;
  id?: string;
}) {
  return (
    <section className="card" id={id}>
      <div className="card-head">
        <h2>{title}</h2>
        {note && <span className="faint">{note}</span>}
      </div>
      {children}
    </section>
  );
}

export function Facts({ children }: { children: ReactNode }) {
  return <dl className="facts">{children}</dl>;
}

/** A name and its value; nothing if there is none. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  if (children === null || children === undefined || children === "" || children === false) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
