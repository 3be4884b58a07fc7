export { broker, derivedNeed, type Need, needVariables, openNeeds, type Opening, registry } from "./needs.ts";
export { runService } from "./run-service.ts";
export type { ConfiguredService, ServicePorts } from "./service-ports.ts";
