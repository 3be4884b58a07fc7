// Tables for people. What comes from outside cannot move the cursor or change colours: control characters are shown as a dot.

import type { Body } from "./control-client.ts";

export interface Column {
  readonly title: string;
  /** Numbers stand on the right. */
  readonly isNumber?: boolean;
  of(row: Body): string;
}

const gap = "  ";

export function tableText(rows: readonly Body[], columns: readonly Column[]): string {
  const lines = [columns.map(({ title }) => title), ...rows.map((row) => columns.map((column) => shown(column.of(row))))];
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

/** A column of the member at this path; a time in whole seconds, nothing as a dash. */
export function column(title: string, path: string): Column {
  return { title, of: (row) => textAt(row, path) };
}

export function numberColumn(title: string, path: string): Column {
  return { ...column(title, path), isNumber: true };
}

/** The member at a path such as `deliveries.waiting`; `-` where there is none. */
export function textAt(row: Body, path: string): string {
  const value = at(row, path);
  if (Array.isArray(value)) return value.length === 0 ? "-" : value.map(String).join(" ");
  if (typeof value === "string" && value !== "") return value.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?Z$/, "$1 $2Z");
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "-";
}

export function rowsAt(row: Body, path: string): readonly Body[] {
  const value = at(row, path);
  return Array.isArray(value) ? value.filter((one): one is Body => typeof one === "object" && one !== null) : [];
}

/** Texts of a list. */
export function textsAt(row: Body, path: string): readonly string[] {
  const value = at(row, path);
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

function at(row: Body, path: string): unknown {
  let value: unknown = row;
  for (const name of path.split(".")) {
    value = typeof value === "object" && value !== null ? new Map(Object.entries(value)).get(name) : undefined;
  }
  return value;
}

/** Seconds as people say them; `-` where there are none. */
export function durationAt(row: Body, path: string): string {
  const seconds = at(row, path);
  if (typeof seconds !== "number") return "-";
  const all = Math.abs(seconds);
  const [days, hours, minutes] = [Math.floor(all / 86_400), Math.floor(all / 3_600) % 24, Math.floor(all / 60) % 60];
  const text = days > 0 ? `${days}d ${hours}h` : hours > 0 ? `${hours}h ${minutes}m` : minutes > 0 ? `${minutes}m ${all % 60}s` : `${all}s`;
  return seconds < 0 ? `${text} ago` : text;
}

export function shown(text: string): string {
  return text.replaceAll(/\p{C}/gu, "·");
}
