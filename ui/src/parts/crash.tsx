/** What is shown for a page that broke, and for one that is not there. */
import { Link } from "@tanstack/react-router";

import { strings } from "../strings";

export function Crash({ error }: { error: unknown }) {
  return (
    <div className="page">
      <div className="failure" role="alert">
        <p className="empty-title">{strings.state.failed}</p>
        <p>{strings.state.crashed}</p>
        <p className="mono wrap">{error instanceof Error ? error.message : String(error)}</p>
      </div>
    </div>
  );
}

export function Lost() {
  return (
    <div className="page">
      <h1>{strings.state.gone}</h1>
      <p>
        <Link to="/">{strings.state.toHome}</Link>
      </p>
    </div>
  );
}
