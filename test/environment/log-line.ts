// Formats one line of a service's log for people: time, level, service, event, then its fields.

export interface LogLine {
  readonly raw: string;
  readonly text: string;
  /** Epoch milliseconds; 0: the line has no time. */
  readonly atMs: number;
  readonly level: string;
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface LogFilter {
  /** Epoch milliseconds; null: from the start. */
  readonly fromMs: number | null;
  /** The least severe level that is shown. */
  readonly level: string;
  /** Only lines that contain this UETR; null: all. */
  readonly uetr: string | null;
  /** An event or its first words, such as `day` or `delivery.failed`; null: all. */
  readonly event: string | null;
}

const levels = ["debug", "info", "warn", "error"];
const ownFields: ReadonlySet<string> = new Set(["level", "time", "at", "service", "pid", "event"]);

export function formatLogLine(raw: string): LogLine {
  const fields = parseFields(raw);
  if (fields === null) return { raw, text: raw, atMs: 0, level: "error", event: "", fields: {} };
  const level = toText(fields["level"]);
  const event = toText(fields["event"]);
  const rest = Object.entries(fields).flatMap(([name, value]) => (ownFields.has(name) ? [] : [`${name}=${valueText(value)}`]));
  const head = `${toText(fields["at"]).slice(11, 23)} ${level.toUpperCase().padEnd(5)} ${toText(fields["service"]).padEnd(15)} ${event}`;
  const atMs = typeof fields["time"] === "number" ? fields["time"] : 0;
  return { raw, text: [head, ...rest].join(" "), atMs, level, event, fields };
}

export function matchesLogFilter({ raw, atMs, level, event }: LogLine, wanted: LogFilter): boolean {
  if (wanted.fromMs !== null && atMs !== 0 && atMs < wanted.fromMs) return false;
  if (levels.indexOf(level) < levels.indexOf(wanted.level)) return false;
  if (wanted.uetr !== null && !raw.toLowerCase().includes(wanted.uetr)) return false;
  return wanted.event === null || event === wanted.event || event.startsWith(`${wanted.event}.`);
}

function parseFields(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const fields: unknown = JSON.parse(line);
    return typeof fields === "object" && fields !== null && !Array.isArray(fields) ? { ...fields } : null;
  } catch {
    return null;
  }
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function valueText(value: unknown): string {
  if (typeof value === "string") return /[\s"]/.test(value) ? JSON.stringify(value) : value;
  return JSON.stringify(value) ?? "";
}
