// What a way to start Sluice is given, and what it gives back.

import type { LogTail } from "./log-tail.ts";
import type { GivenServers } from "./servers.ts";

interface LaunchGiven {
  /** Renders the configuration and its variables; `host` is this machine's name where the started Sluice runs. */
  readonly render: (host: string) => { readonly configuration: string; readonly variables: Readonly<Record<string, string>> };
  /** What the clock shows at the start; on real servers it is the machine's, whatever this says. */
  readonly startAt: string;
  /** Ports of this machine at which banks and connectors listen. */
  readonly hostPorts: readonly number[];
  readonly log: LogTail;
  readonly startWithinMs: number;
  /** Null: all services in one process over memory. */
  readonly servers: GivenServers | null;
  /** True: one that an earlier run left is used, and this run leaves its own. */
  readonly isReused: boolean;
}

export interface Launched {
  readonly url: string;
  /** Where banks ask about their own transactions; the same address where one process is all services. */
  readonly consoleUrl: string;
  readonly controlUrl: string;
  stop(): Promise<void>;
}

export type LaunchSluice = (options: LaunchGiven) => Promise<Launched>;
