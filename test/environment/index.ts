// What end-to-end tests, trials, benches, the demo and the command line need to run services: servers and processes,
// simulated parties, their configuration file, the history of a run, and the memory and metrics of processes.

export * from "./configuration.ts";
export * from "./history/history.ts";
export * from "./interruption.ts";
export * from "./history/journal-uetrs.ts";
export * from "./log-line.ts";
export * from "./noon-zone.ts";
export * from "./parties.ts";
export * from "./process-watch.ts";
export * from "./processes.ts";
export * from "./provision.ts";
export * from "./run-program.ts";
export * from "./secured/development-sign-in.ts";
export * from "./secured/secured.ts";
export * from "./secured/secured-brokers.ts";
export * from "./service-environment.ts";
export * from "./text-table.ts";
