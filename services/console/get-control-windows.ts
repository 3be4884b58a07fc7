// listWindows: the business days from one date to another, as the journal has planned them.
//
// #1 `from` is today by the scheme's zone where it is not given, `to` a week later; at most `daysMax` days. A date that nobody planned yet is
//    not in the list.

import { gateStanding, type Day } from "@sluice/domain";
import type { Store } from "@sluice/store";
import { awaitedCredits, type AwaitedCredits } from "./awaited-credits.ts";
import type { ControlHandler } from "./control-handler.ts";
import { isDate } from "./control-question.ts";
import { invalid } from "./control-values.ts";
import { windowReport } from "./window-report.ts";

export interface SchemeOfDays {
  readonly id: string;
  readonly takesDebits: boolean;
  readonly times: { readonly calendar: { readonly zone: string } };
}

export interface WindowsPorts {
  readonly store: Pick<Store, "days" | "transactions" | "lanes">;
  readonly schemes: readonly SchemeOfDays[];
  /** Ids of the banks that debits are released to. */
  readonly banks: readonly string[];
  readonly agreedNowMs: () => number | null;
}

export const daysMax = 93;
const daysAheadDefault = 7;

export function listWindows(ports: WindowsPorts): ControlHandler {
  return async ({ query }) => {
    const schemes = ports.schemes.filter(({ id, takesDebits }) => takesDebits && (query.get("scheme") ?? id) === id);
    if (schemes.length === 0) return invalid("scheme: a configured one that takes debits.");
    const keys: string[] = [];
    for (const scheme of schemes) {
      const dates = datesIn(query, scheme, ports.agreedNowMs());
      if (typeof dates === "string") return invalid(dates);
      if (dates === null) return { kind: "unavailable", detail: "No time of the log is known yet. Give from and to, or ask again." };
      keys.push(...dates.map((date) => `${scheme.id}:${date}`));
    }
    const days = await ports.store.days.load(keys);
    const rows = [];
    for (const key of keys) {
      const day = days.get(key);
      if (day !== undefined) rows.push(windowReport(day, ports.banks, await creditsAtGates(ports, day)));
    }
    return { kind: "found", body: { schema: "Windows", rows, next: null } };
  };
}

/** Of each bank whose gate waits for credits. */
async function creditsAtGates({ store, banks }: WindowsPorts, day: Day): Promise<ReadonlyMap<string, AwaitedCredits>> {
  const credits = new Map<string, AwaitedCredits>();
  for (const bank of banks) {
    const standing = gateStanding(day, bank);
    if (standing.kind === "credits-unresolved") credits.set(bank, await awaitedCredits(store, day, bank, standing.declaration));
  }
  return credits;
}

/** #1; null: the time is not known; a text says what is wrong. */
function datesIn(query: URLSearchParams, scheme: SchemeOfDays, nowMs: number | null): readonly string[] | string | null {
  for (const name of ["from", "to"]) if (!isDate(query.get(name) ?? "2026-01-01")) return `${name}: a date, YYYY-MM-DD.`;
  const given = query.get("from");
  if (given === null && nowMs === null) return null;
  const from = given === null ? today(scheme, nowMs ?? 0) : Temporal.PlainDate.from(given);
  const to = Temporal.PlainDate.from(query.get("to") ?? from.add({ days: daysAheadDefault }));
  const days = from.until(to).days;
  if (days < 0) return "to: not before from.";
  if (days >= daysMax) return `from, to: at most ${daysMax} days.`;
  return Array.from({ length: days + 1 }, (_, index) => from.add({ days: index }).toString());
}

function today({ times }: SchemeOfDays, nowMs: number): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(times.calendar.zone).toPlainDate();
}
