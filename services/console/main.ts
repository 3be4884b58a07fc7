import { readDocument } from "@sluice/documents";
import { broker, derivedNeed, registry, runService } from "@sluice/process";
import { store } from "@sluice/process/store";
import { listenLimitsDefault } from "@sluice/service";
import { startConsole } from "./service.ts";
import { watchOperators } from "./http/watch-operators.ts";

runService("console", {
  needs: {
    serde: registry,
    store,
    messaging: broker(),
    controlDocument: derivedNeed(() => readDocument("control")),
  },
  start: startConsole,
  watch: watchOperators,
  serves: {
    port: { variable: "SLUICE_CONSOLE_PORT", fetch: (desk) => (request, connection) => desk.fetch(request, connection) },
    controlPort: {
      variable: "SLUICE_CONTROL_PORT",
      limits: { ...listenLimitsDefault, connectionsMax: 512 },
      fetch: (desk) => (request, connection) => desk.fetchControl(request, connection),
    },
  },
});
