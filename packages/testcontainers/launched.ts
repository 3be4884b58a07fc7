// What a way to start Sluice is given, and what it gives back.

import type { LogTail } from "./log-tail.ts";

interface LaunchGiven {
  /** Renders the configuration and its variables; `host` is this machine's name where the started Sluice runs. */
  readonly render: (host: string) => { readonly configuration: string; readonly variables: Readonly<Record<string, string>> };
  /** What the clock shows at the start. */
  readonly startAt: string;
  /** Ports of this machine at which banks and connectors listen. */
  readonly hostPorts: readonly number[];
  readonly log: LogTail;
  readonly startWithinMs: number;
}

export interface Launched {
  readonly url: string;
  readonly controlUrl: string;
  stop(): Promise<void>;
}

export type LaunchSluice = (options: LaunchGiven) => Promise<Launched>;
