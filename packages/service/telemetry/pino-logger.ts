// The pinoLogger adapter on pino. Each line is one JSON object: `level`, `time` (epoch ms), `at` (ISO, UTC), `service`,
// `pid`, `event`, then the fields. Lines of one turn are written together, and an error at once with all before it, so
// that the last line before a failure is in the file (`turn-writer.ts`).

import { pino } from "pino";
import type { ErrorFields, Logger, LogLevel } from "@sluice/kernel";
import { createTurnWriter, type TurnWriter } from "./turn-writer.ts";

export interface LoggerOptions {
  readonly service: string;
  readonly level: LogLevel;
  /** Where lines go; standard output by default. */
  readonly destination?: { write(line: string): void };
}

export function createLogger(options: LoggerOptions): Logger {
  const writer = options.destination === undefined ? openStandardOutput() : null;
  const pinoLogger = pino(
    {
      level: options.level,
      base: { service: options.service, pid: process.pid },
      messageKey: "event",
      timestamp: timestamps,
      formatters: { level: (label) => ({ level: label }) },
    },
    writer ?? options.destination,
  );
  const isDebug = pinoLogger.isLevelEnabled("debug");
  return {
    debug: (event, fields) => void (isDebug && pinoLogger.debug(toPlainFields(fields), event)),
    info: (event, fields) => pinoLogger.info(toPlainFields(fields), event),
    warn: (event, fields) => pinoLogger.warn(toPlainFields(fields), event),
    error(event, fields) {
      pinoLogger.error(toPlainFields(fields), event);
      writer?.flush();
    },
  };
}

function openStandardOutput(): TurnWriter {
  const output = pino.destination({ dest: 1, sync: true });
  const writer = createTurnWriter(
    (lines) => void output.write(lines),
    (action) => void setImmediate(action),
  );
  process.on("exit", () => writer.flush());
  return writer;
}

function timestamps(): string {
  const now = new Date();
  return `,"time":${now.getTime()},"at":"${now.toISOString()}"`;
}

/**
 * Turns bigints into decimal text and errors into plain members. Other objects are dropped, because they could hold
 * anything.
 */
function toPlainFields(fields: ErrorFields | undefined): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields ?? {})) {
    if (name === "error") result[name] = describeError(value, 0);
    else if (typeof value === "bigint") result[name] = value.toString();
    else if (Array.isArray(value)) result[name] = value.filter((entry) => typeof entry === "string");
    else if (typeof value !== "object" || value === null) result[name] = value;
    else result[name] = "(object)";
  }
  return result;
}

const causesMax = 5;

function describeError(error: unknown, depth: number): unknown {
  if (!(error instanceof Error)) return typeof error === "string" ? error : `not an Error: ${typeof error}`;
  return {
    name: error.name,
    code: "code" in error ? String(error.code) : undefined,
    message: error.message,
    stack: error.stack,
    cause: error.cause === undefined || depth >= causesMax ? undefined : describeError(error.cause, depth + 1),
  };
}
