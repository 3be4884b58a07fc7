// listWindows: the business days from one date to another, as the journal has planned them.
//
// #1 Without `from` the list begins today in the scheme's zone, without `to` it ends a week later; it has at most
//    `windowDaysMax` days. A date that is not planned yet is not in the list.

import { isOfSchemes } from "@sluice/contracts";
import { readGateStatus, type Day } from "@sluice/domain";
import type { Store } from "@sluice/store";
import { listAwaitedCredits, type AwaitedCredits } from "./awaited-credits.ts";
import type { ControlHandler } from "../http/control-handler.ts";
import { isDate } from "../http/control-parameters.ts";
import { invalidRequest } from "../views/control-values.ts";
import { windowReport } from "../views/window-report.ts";

interface DayScheme {
  readonly id: string;
  readonly takesDebits: boolean;
  readonly times: { readonly calendar: { readonly zone: string } };
}

export interface WindowsPorts {
  readonly store: Pick<Store, "days" | "transactions" | "partitions">;
  readonly schemes: readonly DayScheme[];
  readonly configuration: { readonly banks: readonly { readonly id: string }[] };
  readonly brokerNowMs: () => number | null;
}

const windowDaysMax = 93;
const daysAheadDefault = 7;

export function listWindows(ports: WindowsPorts): ControlHandler {
  return async ({ query, operator }) => {
    const own = ports.schemes.filter(({ id }) => isOfSchemes(operator.schemes, id));
    const schemes = own.filter(({ id, takesDebits }) => takesDebits && (query.get("scheme") ?? id) === id);
    if (schemes.length === 0 && query.has("scheme")) return invalidRequest("scheme: a configured one that takes debits.");
    const keys: string[] = [];
    for (const scheme of schemes) {
      const dates = parseDates(query, scheme, ports.brokerNowMs());
      if (typeof dates === "string") return invalidRequest(dates);
      if (dates === null) return { kind: "unavailable", detail: "No time of the log is known yet. Give from and to, or ask again." };
      keys.push(...dates.map((date) => `${scheme.id}:${date}`));
    }
    const days = await ports.store.days.load(keys);
    const rows = [];
    const banks = ports.configuration.banks.map(({ id }) => id);
    for (const key of keys) {
      const day = days.get(key);
      if (day !== undefined) rows.push(windowReport(day, banks, await loadCreditsAtGates(ports, day, banks)));
    }
    return { kind: "found", body: { schema: "Windows", rows, next: null } };
  };
}

/** The awaited credits of each bank whose gate waits for credits. */
export async function loadCreditsAtGates(
  { store }: Pick<WindowsPorts, "store">,
  day: Day,
  banks: readonly string[],
): Promise<ReadonlyMap<string, AwaitedCredits>> {
  const credits = new Map<string, AwaitedCredits>();
  for (const bank of banks) {
    const gate = readGateStatus(day, bank);
    if (gate.kind === "credits-unresolved") credits.set(bank, await listAwaitedCredits(store, day, bank, gate.declaration));
  }
  return credits;
}

/** #1 Null: the time is not known. A text says what is wrong. */
function parseDates(query: URLSearchParams, scheme: DayScheme, nowMs: number | null): readonly string[] | string | null {
  for (const name of ["from", "to"]) if (!isDate(query.get(name) ?? "2026-01-01")) return `${name}: a date, YYYY-MM-DD.`;
  const given = query.get("from");
  if (given === null && nowMs === null) return null;
  const from = given === null ? today(scheme, nowMs ?? 0) : Temporal.PlainDate.from(given);
  const to = Temporal.PlainDate.from(query.get("to") ?? from.add({ days: daysAheadDefault }));
  const days = from.until(to).days;
  if (days < 0) return "to: not before from.";
  if (days >= windowDaysMax) return `from, to: at most ${windowDaysMax} days.`;
  return Array.from({ length: days + 1 }, (_, index) => from.add({ days: index }).toString());
}

function today({ times }: DayScheme, nowMs: number): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(times.calendar.zone).toPlainDate();
}
