export type { Progress } from "./install.ts";
export { isAlive, noteOf } from "./process-identity.ts";
export type { ProcessNote } from "./process-identity.ts";
export type { ServerName, Storage } from "./server-process.ts";
export { startServers, stopServers } from "./start-servers.ts";
export type { ServerAddresses, Servers, ServersOptions } from "./start-servers.ts";
