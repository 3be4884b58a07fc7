// Formats tables for people. Text from outside cannot move the cursor or change colours: control characters are shown
// as a dot.

import type { AnswerBody } from "./control-client.ts";

export interface TableColumn {
  readonly title: string;
  /** True: the column is aligned to the right. */
  readonly isNumber?: boolean;
  of(row: AnswerBody): string;
}

const gap = "  ";

export function tableText(rows: readonly AnswerBody[], columns: readonly TableColumn[]): string {
  const lines = [columns.map(({ title }) => title), ...rows.map((row) => columns.map((column) => maskControlCharacters(column.of(row))))];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, index) => (columns[index]?.isNumber === true ? cell.padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0)))
        .join(gap)
        .trimEnd(),
    )
    .join("\n");
}

/** A column with the member at this path; a time is shown in whole seconds, a missing value as a dash. */
export function column(title: string, path: string): TableColumn {
  return { title, of: (row) => memberText(row, path) };
}

export function numberColumn(title: string, path: string): TableColumn {
  return { ...column(title, path), isNumber: true };
}

/** Text of the member at a path such as `deliveries.waiting`; `-` if there is none. */
export function memberText(row: AnswerBody, path: string): string {
  const value = at(row, path);
  if (Array.isArray(value)) return value.length === 0 ? "-" : value.map(String).join(" ");
  if (typeof value === "string" && value !== "") return value.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?Z$/, "$1 $2Z");
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "-";
}

/** Who decided: the operator, and the second person if there was one. `path` ends with a dot, or is empty. */
export function decidersText(row: AnswerBody, path: string): string {
  const second = memberText(row, `${path}confirmedBy`);
  return `${memberText(row, `${path}operator`)}${second === "-" ? "" : `, confirmed by ${second}`}`;
}

export function memberRows(row: AnswerBody, path: string): readonly AnswerBody[] {
  const value = at(row, path);
  return Array.isArray(value) ? value.filter((one): one is AnswerBody => typeof one === "object" && one !== null) : [];
}

/** The texts in a list. */
export function memberTexts(row: AnswerBody, path: string): readonly string[] {
  const value = at(row, path);
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

function at(row: AnswerBody, path: string): unknown {
  let value: unknown = row;
  for (const name of path.split(".")) {
    value = typeof value === "object" && value !== null ? new Map(Object.entries(value)).get(name) : undefined;
  }
  return value;
}

/** A duration in seconds in readable form; `-` if there is none. */
export function memberDuration(row: AnswerBody, path: string): string {
  const seconds = at(row, path);
  return typeof seconds === "number" ? durationText(seconds) : "-";
}

/** `3h 13m`, `9s ago`. */
export function durationText(seconds: number): string {
  const all = Math.abs(seconds);
  const [days, hours, minutes] = [Math.floor(all / 86_400), Math.floor(all / 3_600) % 24, Math.floor(all / 60) % 60];
  const text = days > 0 ? `${days}d ${hours}h` : hours > 0 ? `${hours}h ${minutes}m` : minutes > 0 ? `${minutes}m ${all % 60}s` : `${all}s`;
  return seconds < 0 ? `${text} ago` : text;
}

/** Replaces control characters by a dot. */
export function maskControlCharacters(text: string): string {
  return text.replaceAll(/\p{C}/gu, "·");
}

/** The time to the two closes: of the last processing window, and of the reconciliation, which comes later. */
export function closeColumns(prefix: "" | "waiting."): readonly TableColumn[] {
  return [
    { title: "WINDOW IN", isNumber: true, of: (row) => memberDuration(row, `${prefix}secondsToWindowClose`) },
    { title: "RECON IN", isNumber: true, of: (row) => memberDuration(row, `${prefix}secondsToClose`) },
  ];
}
