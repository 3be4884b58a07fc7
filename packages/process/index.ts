export { askProcesses, type AskedProcess, type AskProcesses } from "./ask-processes.ts";
export { auditKeys } from "./audit-keys.ts";
export { kafkaConnection, kafkaVariables } from "./connections/kafka-connection.ts";
export { broker, derivedNeed, helpFolder, keyService, type Need, needVariables, openNeeds, type Opening, registry } from "./needs.ts";
export { registryConnection, registryVariables } from "./connections/registry-connection.ts";
export { runProcess } from "./run-process.ts";
export { runService } from "./run-service.ts";
export type { ConfiguredService, ServicePorts } from "./service-ports.ts";
export { openTracer, type TraceEnvironment, traceVariables } from "./traces/open-tracer.ts";
