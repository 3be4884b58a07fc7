// What `./sluice status` says of a console's answer: services with the lag of their partitions, paused banks, days.

import { asControlVerb, controlClient, controlOptions, type AnswerBody, type RunControlVerb } from "../../terminal/control-client.ts";
import {
  decidersText,
  column,
  maskControlCharacters,
  memberRows,
  memberText,
  numberColumn,
  tableText,
} from "../../terminal/control-table.ts";
import type { Verb } from "../../terminal/verb.ts";

interface ServiceRow {
  readonly service: string;
  readonly partitions: number;
  /** Partitions that no process ever owned. */
  readonly notOwned: number;
  readonly lag: string;
  readonly largestLag: string;
  /** How far the partition that is furthest behind is; null: it is known of none. */
  readonly behindSeconds: number | null;
}

interface ConsoleStatus {
  readonly isWell: boolean;
  readonly lines: readonly string[];
}

function describeConsoleStatus(body: AnswerBody): ConsoleStatus {
  const services = [...Map.groupBy(memberRows(body, "partitions"), (row) => memberText(row, "service"))].map(toServiceRow);
  const days = memberRows(body, "days");
  const isWell = services.every(({ notOwned }) => notOwned === 0) && days.every((day) => memberText(day, "missed") === "-");
  const columns = [
    column("SERVICE", "service"),
    numberColumn("PARTITIONS", "partitions"),
    numberColumn("NOT OWNED", "notOwned"),
    numberColumn("LAG", "lag"),
    numberColumn("LARGEST LAG", "largestLag"),
    numberColumn("SECONDS", "behindSeconds"),
  ];
  return { isWell, lines: [tableText(services.map(toAnswerRow), columns), ...pauseLines(body), ...days.map(dayLine)].map(maskLines) };
}

function toServiceRow([service, rows]: readonly [string, readonly AnswerBody[]]): ServiceRow {
  const lags = rows.map((row) => BigInt(memberText(row, "lag")));
  const largest = lags.reduce((most, lag) => (lag > most ? lag : most), 0n);
  return {
    service,
    partitions: rows.length,
    notOwned: rows.filter((row) => row["epoch"] === null).length,
    lag: String(lags.reduce((sum, lag) => sum + lag, 0n)),
    largestLag: String(largest),
    behindSeconds: findLargest(rows.map((row) => row["behindSeconds"])),
  };
}

function findLargest(given: readonly unknown[]): number | null {
  const known = given.filter((one) => typeof one === "number");
  return known.length === 0 ? null : Math.max(...known);
}

function toAnswerRow({ service, partitions, notOwned, lag, largestLag, behindSeconds }: ServiceRow): AnswerBody {
  return { service, partitions, notOwned, lag, largestLag, behindSeconds };
}

function pauseLines(body: AnswerBody): readonly string[] {
  return memberRows(body, "banksPaused").map((row) => {
    const [bank, since, until, reason] = ["bank", "since", "until", "reason"].map((name) => memberText(row, name));
    return `${bank}: paused since ${since}${until === "-" ? "" : ` until ${until}`} by ${decidersText(row, "")}: ${reason}`;
  });
}

function dayLine(row: AnswerBody): string {
  const missed = memberText(row, "missed");
  const open = memberText(row, "windowOpen");
  const window = open === "-" ? `next opening ${memberText(row, "nextOpening")}` : `window ${open} open to ${memberText(row, "nextClose")}`;
  const bad = missed === "-" ? "" : `; MISSED window ${missed}`;
  return `${memberText(row, "day")}: ${window}, reconciliation ${memberText(row, "reconciliation")}${bad}`;
}

function maskLines(text: string): string {
  return text.split("\n").map(maskControlCharacters).join("\n");
}

export const showConsoleStatus: RunControlVerb = async (call, where) => {
  const client = await controlClient(call, where);
  const body = await client.get("/status");
  const { isWell, lines } = describeConsoleStatus(body);
  where.out(call.flag("json") ? JSON.stringify(body, null, 2) : lines.join("\n"));
  return isWell ? 0 : 1;
};

/** `status` of the operators' package, which has no `up`. */
export const consoleStatusVerb: Verb = {
  name: "status",
  summary: "what the console knows: how far the partitions are, paused banks, days, and what a person should look at",
  arguments: [],
  options: controlOptions,
  notes: ["Exit 0 if all is well, else 1."],
  examples: ["status", "status --console https://console.example:8082"],
  run: asControlVerb(showConsoleStatus),
};
