// Log on pino: one JSON object a line, `level`, `time` (epoch ms), `at` (ISO, UTC), `service`, `pid`, `event`, then the fields.
// Written synchronously, so that the last line before a crash is in the file.

import { pino } from "pino";
import type { ErrorFields, Log } from "./port.ts";

export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LogOptions {
  readonly service: string;
  readonly level: LogLevel;
  /** Where lines go; standard output where not given. */
  readonly destination?: { write(line: string): void };
}

export function createLog(options: LogOptions): Log {
  const logger = pino(
    {
      level: options.level,
      base: { service: options.service, pid: process.pid },
      messageKey: "event",
      timestamp: timestamps,
      formatters: { level: (label) => ({ level: label }) },
    },
    options.destination ?? pino.destination({ dest: 1, sync: true }),
  );
  const isDebug = logger.isLevelEnabled("debug");
  return {
    debug: (event, fields) => void (isDebug && logger.debug(plain(fields), event)),
    info: (event, fields) => logger.info(plain(fields), event),
    warn: (event, fields) => logger.warn(plain(fields), event),
    error: (event, fields) => logger.error(plain(fields), event),
  };
}

/** Drops everything. */
export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };

function nothing(): void {}

function timestamps(): string {
  const now = new Date();
  return `,"time":${now.getTime()},"at":"${now.toISOString()}"`;
}

/** Bigints as decimal text; errors as what a reader needs of them; no other object, for it could hold anything. */
function plain(fields: ErrorFields | undefined): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields ?? {})) {
    if (name === "error") result[name] = described(value, 0);
    else if (typeof value === "bigint") result[name] = value.toString();
    else if (Array.isArray(value)) result[name] = value.filter((entry) => typeof entry === "string");
    else if (typeof value !== "object" || value === null) result[name] = value;
    else result[name] = "(object)";
  }
  return result;
}

const causesMax = 5;

function described(error: unknown, depth: number): unknown {
  if (!(error instanceof Error)) return typeof error === "string" ? error : `not an Error: ${typeof error}`;
  return {
    name: error.name,
    code: "code" in error ? String(error.code) : undefined,
    message: error.message,
    stack: error.stack,
    cause: error.cause === undefined || depth >= causesMax ? undefined : described(error.cause, depth + 1),
  };
}
