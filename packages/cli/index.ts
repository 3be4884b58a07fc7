export { showLine } from "./log-line.ts";
export { readiness, serviceNames, startService } from "./processes.ts";
export type { ServiceExit, ServiceName, ServiceOptions, ServiceProcess } from "./processes.ts";
export { provision } from "./provision.ts";
export { serviceEnvironment } from "./service-environment.ts";
export type { ServiceSettings } from "./service-environment.ts";
