// compareCalendarFile: what a calendar file that an operator brings would change, against the configuration in force:
// by scheme and date, and which held debits would move. `./sluice calendar diff` says the same of two files.
//
// #1 Nothing is written, nothing is planned, and the file is not kept. Only `calendars` and `schemes` of it are read,
//    and no variable: what a process has in its environment never comes into an answer.
// #2 What is wrong with the file is an answer too, with the lines: a person mends them and asks again.
// #3 Held debits are counted on every date, even outside of the dates shown.

import { compareSchemes, type SchemeDifference } from "@sluice/calendar";
import { type Configuration, readCalendarFile, type Scheme } from "@sluice/config";
import { isOfSchemes } from "@sluice/contracts";
import type { Store } from "@sluice/store";
import type { ControlHandler } from "../http/control-handler.ts";
import { invalidRequest } from "../views/control-values.ts";
import { findAskedScheme, parseDates } from "./list-calendar.ts";
import { showChange, showMove } from "./shown-changes.ts";

interface CompareFilePorts {
  readonly store: Pick<Store, "transactions">;
  readonly configuration: Pick<Configuration, "schemes">;
  readonly brokerNowMs: () => number | null;
}

const datesDefault = 366;

export function compareCalendarFile({ store, configuration, brokerNowMs }: CompareFilePorts): ControlHandler {
  return async ({ query, body, operator }) => {
    const scheme = findAskedScheme(configuration, null, operator.schemes);
    if (scheme === undefined) return invalidRequest("No scheme is configured.");
    const dates = parseDates(query, scheme, brokerNowMs(), datesDefault);
    if (!Array.isArray(dates)) return dates;
    const text = decodeText(body);
    if (text === null) return invalidRequest("The file is not UTF-8.");
    const [from = "", to = ""] = [dates[0], dates.at(-1)];
    const answered = { schema: "CalendarFileDifference", from, to };
    const reading = readCalendarFile(text, from);
    if (!reading.ok) return { kind: "found", body: { ...answered, problems: reading.problems, schemes: [], held: [] } };
    const all = compareSchemes(configuration.schemes, reading.schemes, dates);
    const differences = all.filter(({ scheme: id }) => isOfSchemes(operator.schemes, id));
    const held = await Promise.all(
      differences.map(async ({ before, after }) => {
        if (before === null) return [];
        const rows = await store.transactions.totals({ state: "HELD", scheme: before.id });
        return rows.flatMap((row) => showMove(row, before, after).map((move) => ({ scheme: before.id, ...move })));
      }),
    );
    return { kind: "found", body: { ...answered, problems: [], schemes: differences.map(showDifference), held: held.flat() } };
  };
}

function decodeText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function showDifference({ scheme, before, after, dates }: SchemeDifference<Scheme>) {
  const zones = { zone: before?.times.calendar.zone ?? null, zoneInFile: after?.times.calendar.zone ?? null };
  if (before === null || after === null) return { scheme, isIn: before === null ? "file" : "force", ...zones, rows: [] };
  return { scheme, isIn: "both", ...zones, rows: dates.map((one) => showChange(one, before, after)) };
}
