/** The API document, to read and to try: Swagger UI, from this server and only on this page. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import SwaggerUI from "swagger-ui-dist/swagger-ui-es-bundle.js";
import "swagger-ui-dist/swagger-ui.css";
import "../styles/docs.css";

import { currentKey } from "../api/key";
import { apiDocument } from "../api/queries";
import { useTitle } from "../parts/page";
import { Answer } from "../parts/states";
import { strings } from "../strings";

export function DocsPage() {
  useTitle(strings.nav.api);
  const query = useQuery(apiDocument());
  return (
    <div className="page docs-page">
      <Answer of={query}>{(document) => <Reference of={document} />}</Answer>
    </div>
  );
}

function Reference({ of: document }: { of: object }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const shown = SwaggerUI({
      domNode: place.current,
      // One server, named nowhere: the one that this page came from.
      spec: { ...document, servers: undefined },
      deepLinking: true,
      filter: true,
      defaultModelsExpandDepth: 0,
      displayRequestDuration: true,
      // It would ask a server elsewhere.
      validatorUrl: null,
      onComplete: () => {
        if (currentKey()) shown.preauthorizeApiKey("bearer", currentKey());
      },
    });
  }, [document]);
  return <div ref={place} />;
}
