export { askAlarms, type AskAlarms, type AskedAlarms } from "./asking/ask-alarms.ts";
export { askProcesses, type AskedProcess, type AskProcesses } from "./asking/ask-processes.ts";
export { tokenPorts } from "./connections/token-ports.ts";
export { signInPorts } from "./connections/sign-in-ports.ts";
export { auditKeys } from "./audit-keys.ts";
export { operatorKey } from "./connections/operator-key.ts";
export { kafkaConnection, kafkaVariables } from "./connections/kafka-connection.ts";
export {
  broker,
  derivedNeed,
  helpFolder,
  keyService,
  type Need,
  needVariables,
  openNeeds,
  type Opening,
  registry,
  tracePage,
} from "./needs.ts";
export { registryConnection, registryVariables } from "./connections/registry-connection.ts";
export { runProcess } from "./run-process.ts";
export { runService } from "./run-service.ts";
export type { ConfiguredService, ServicePorts } from "./service-ports.ts";
export { createOtlpTracer } from "./traces/otlp-tracer.ts";
export { openTracer, type TraceEnvironment, traceVariables } from "./traces/open-tracer.ts";
