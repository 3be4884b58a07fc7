export { freePorts } from "./free-ports.ts";
export { findJava, findMaven } from "./java-tools.ts";
export { buildFolder, downloadPackages, type ReportProgress } from "./maven-packages.ts";
export { isRunning, makeRunDirectory, readRecord, stopRecordedProcesses } from "./running-record.ts";
export type { ServerName, Storage } from "./servers/server-kind.ts";
export { startServers } from "./start-servers.ts";
export type { ServerAddresses, Servers } from "./start-servers.ts";
export { copyDatabase } from "./copy-database.ts";
