/** What stands where an answer is not there: yet, at all, or because of a failure. */
import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { ApiError } from "../api/client";
import { isJobId, readableId } from "../api/ids";
import { askForKey } from "../api/key";
import { strings } from "../strings";

export function Loading({ lines = 3 }: { lines?: number }) {
  return (
    <div className="loading" role="status" aria-label={strings.state.loading}>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} className="bone" />
      ))}
    </div>
  );
}

export function Empty({ title, children }: { title?: string; children?: ReactNode }) {
  return (
    <div className="empty">
      {title && <p className="empty-title">{title}</p>}
      {children && <p>{children}</p>}
    </div>
  );
}

export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  const failure = error instanceof ApiError ? error : new ApiError(-1, String(error));
  return (
    <div className="failure" role="alert">
      <p className="empty-title">{titleOf(failure)}</p>
      <p className="wrap">{helpOf(failure)}</p>
      {failure.near.length > 0 && <Near ids={failure.near} />}
      {failure.status === 403 && (
        <button type="button" onClick={askForKey}>
          {strings.key.other}
        </button>
      )}
      {retry && !failure.isGone && (
        <button type="button" onClick={retry}>
          {strings.state.retry}
        </button>
      )}
    </div>
  );
}

function titleOf(failure: ApiError): string {
  return failure.isGone ? strings.state.gone : strings.state.failed;
}

function helpOf(failure: ApiError): string {
  if (failure.status === 0) return strings.state.down;
  if (failure.status === 401) return strings.key.title;
  if (failure.status === 403) return `${strings.state.forbidden} ${failure.message}`;
  return failure.isGone ? `${failure.message}. ${strings.state.goneHelp}` : failure.message;
}

function Near({ ids }: { ids: string[] }) {
  return (
    <>
      <p>{strings.state.near}</p>
      <ul className="plain">
        {ids.map((id) => (
          <li key={id}>
            <Link to="/lineage" search={{ node: id }} className="wrap">
              {isJobId(id) ? strings.kinds.job : strings.kinds.dataset} {readableId(id)}
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The answer of a question, or what stands in for it. */
export function Answer<T>({
  of: query,
  children,
  lines,
}: {
  of: UseQueryResult<T>;
  children: (data: T) => ReactNode;
  lines?: number;
}) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.isError) return <Failure error={query.error} retry={() => void query.refetch()} />;
  return <Loading lines={lines} />;
}
