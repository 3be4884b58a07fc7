// One line of a service's log, as people read it: time, level, service, event, then its fields.

export interface LogLine {
  readonly raw: string;
  readonly text: string;
  /** 0: it does not say. */
  readonly atMs: number;
  readonly level: string;
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface WantedLines {
  /** Epoch ms; null: from the start. */
  readonly fromMs: number | null;
  /** This and what is worse. */
  readonly level: string;
  /** Lines that name it anywhere. */
  readonly uetr: string | null;
  /** The event, or its first words: `day`, `delivery.failed`. */
  readonly event: string | null;
}

const levels = ["debug", "info", "warn", "error"];
const ownFields: ReadonlySet<string> = new Set(["level", "time", "at", "service", "pid", "event"]);

export function showLine(raw: string): LogLine {
  const fields = fieldsOf(raw);
  if (fields === null) return { raw, text: raw, atMs: 0, level: "error", event: "", fields: {} };
  const level = textOf(fields["level"]);
  const event = textOf(fields["event"]);
  const rest = Object.entries(fields).flatMap(([name, value]) => (ownFields.has(name) ? [] : [`${name}=${valueText(value)}`]));
  const head = `${textOf(fields["at"]).slice(11, 23)} ${level.toUpperCase().padEnd(5)} ${textOf(fields["service"]).padEnd(15)} ${event}`;
  const atMs = typeof fields["time"] === "number" ? fields["time"] : 0;
  return { raw, text: [head, ...rest].join(" "), atMs, level, event, fields };
}

export function isWanted({ raw, atMs, level, event }: LogLine, wanted: WantedLines): boolean {
  if (wanted.fromMs !== null && atMs !== 0 && atMs < wanted.fromMs) return false;
  if (levels.indexOf(level) < levels.indexOf(wanted.level)) return false;
  if (wanted.uetr !== null && !raw.toLowerCase().includes(wanted.uetr)) return false;
  return wanted.event === null || event === wanted.event || event.startsWith(`${wanted.event}.`);
}

function fieldsOf(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const fields: unknown = JSON.parse(line);
    return typeof fields === "object" && fields !== null && !Array.isArray(fields) ? { ...fields } : null;
  } catch {
    return null;
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function valueText(value: unknown): string {
  if (typeof value === "string") return /[\s"]/.test(value) ? JSON.stringify(value) : value;
  return JSON.stringify(value) ?? "";
}
