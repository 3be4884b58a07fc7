import { createDocumentsApp } from "@sluice/documents";
import { broker, derivedNeed, registry, runService, tokenPorts } from "@sluice/process";
import { startIngress } from "./service.ts";

runService("ingress", {
  needs: {
    serde: registry,
    messaging: broker("ingress", { busyLingerMaxMs: 10 }),
    tokenPorts,
    documents: derivedNeed(() => createDocumentsApp()),
  },
  start: startIngress,
  serves: {
    port: { variable: "SLUICE_HTTP_PORT", handlers: (ingress) => ingress },
  },
});
