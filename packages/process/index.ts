export { runProcess } from "./run-process.ts";
export type { ServicePorts } from "./service-ports.ts";
