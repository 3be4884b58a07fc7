// The logger port. Its adapter is `pino-logger.ts` of @sluice/service; tests and simulation use `silentLogger`.

export type LogValue = string | number | boolean | bigint | null | undefined | readonly string[];
export type LogFields = Readonly<Record<string, LogValue>>;

export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

/**
 * LogFields, and under `error` any caught value. The compiler cannot exempt one name, so the adapter drops other
 * objects.
 */
export type ErrorFields = Readonly<Record<string, unknown>>;

/**
 * Writes one wide line per unit of work. `event` is a stable dotted name such as `debit.accepted`. No line holds an
 * account number, a name or a token.
 */
export interface Logger {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: ErrorFields): void;
}

/** A logger that drops every line. */
export const silentLogger: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };

function ignore(): void {}
