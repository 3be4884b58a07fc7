import { readDocument } from "@sluice/documents";
import {
  askAlarms,
  askProcesses,
  auditKeys,
  broker,
  derivedNeed,
  helpFolder,
  keyService,
  operatorKey,
  registry,
  runService,
  signInPorts,
  tokenPorts,
  tracePage,
} from "@sluice/process";
import { queriedStore } from "@sluice/process/store";
import { listenLimitsDefault } from "@sluice/service";
import { startConsole } from "./service.ts";

runService("console", {
  needs: {
    serde: registry,
    store: queriedStore,
    messaging: broker("console"),
    auditKeys,
    operatorKey,
    keyService,
    tokenPorts,
    signInPorts,
    helpFolder,
    askAlarms,
    askProcesses,
    tracePage,
    controlDocument: derivedNeed(() => readDocument("control")),
  },
  start: startConsole,
  serves: {
    port: { variable: "SLUICE_CONSOLE_PORT", handlers: (desk) => desk },
    controlPort: {
      variable: "SLUICE_CONTROL_PORT",
      limits: { ...listenLimitsDefault, connectionsMax: 512, strangersMax: 64, acquaintancesMax: 192 },
      handlers: (desk) => ({ fetch: (request, connection) => desk.fetchControl(request, connection) }),
    },
  },
});
