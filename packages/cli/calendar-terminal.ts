// What the verbs on calendars speak to: where results go, what day it is, what is up; which configuration and dates are meant.

import { fileURLToPath } from "node:url";
import { readConfigurationFile } from "@sluice/config";
import type { Configuration } from "@sluice/config";
import { lanesDefault } from "@sluice/contracts";
import { Fault } from "@sluice/runtime";
import { createMongoStore } from "@sluice/store";
import { silentLog } from "@sluice/telemetry";
import { countHeld } from "./calendar-held.ts";
import type { HeldOnDate } from "./calendar-held.ts";
import { dateOf, terminal, wrongUse } from "./rules-terminal.ts";
import type { RulesTerminal } from "./rules-terminal.ts";
import { readUpState } from "./up-state.ts";
import type { Call, RunVerb } from "./verbs.ts";

export interface CalendarTerminal extends Pick<RulesTerminal, "out" | "err" | "today" | "now" | "environment"> {
  /** Configuration file of what is up; null: nothing is. */
  upFile(): Promise<string | null>;
  /** Held debits by scheme, date and bank; null: nothing is up. */
  heldDebits(): Promise<readonly HeldOnDate[] | null>;
}

export const calendarTerminal: CalendarTerminal = {
  ...terminal,
  upFile: async () => (await readUpState())?.configurationFile ?? null,
  async heldDebits() {
    const up = await readUpState();
    if (up === null) return null;
    const store = createMongoStore({ url: up.mongoUrl, database: up.database, log: silentLog });
    try {
      return await countHeld(store.transactions, lanesDefault);
    } finally {
      await store.close();
    }
  },
};

export type RunCalendarVerb = (call: Call, where: CalendarTerminal) => Promise<number>;

const exitUsage = 2;

/** Wrong use is said in one line. */
export function sayingCalendar(name: string, run: RunCalendarVerb): RunCalendarVerb {
  return async (call, where) => {
    try {
      return await run(call, where);
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== "cli.wrong-use") throw error;
      where.err(`sluice: ${name}: ${error.message}; see ./sluice ${name} --help`);
      return exitUsage;
    }
  };
}

export function asVerb(run: RunCalendarVerb): RunVerb {
  return (call) => run(call, calendarTerminal);
}

const shippedFile = fileURLToPath(new URL("../../infra/local/sluice.yaml", import.meta.url));

/** Of --config, else of what is up, else the sample of `./sluice up`. */
export async function configurationOf(call: Call, where: CalendarTerminal): Promise<Configuration> {
  const file = call.value("config") ?? (await where.upFile()) ?? shippedFile;
  return readConfigurationFile(file, where.environment);
}

/** More than two years are not for reading. */
export const datesShownMax = 740;

export interface DateRange {
  readonly from: string;
  readonly to: string;
}

/** --from and --to, both included; today and `days` later. */
export function rangeOf(call: Call, where: CalendarTerminal, days: number): DateRange {
  const from = dateOf(call, "from", where.today());
  const to = dateOf(call, "to", Temporal.PlainDate.from(from).add({ days }).toString());
  if (to < from) throw wrongUse("--to is before --from");
  if (datesIn({ from, to }).length > datesShownMax) throw wrongUse(`from --from to --to are at most ${datesShownMax} dates`);
  return { from, to };
}

export function datesIn({ from, to }: DateRange): readonly string[] {
  const first = Temporal.PlainDate.from(from);
  const days = Math.min(first.until(to).days, datesShownMax);
  return Array.from({ length: days + 1 }, (_, day) => first.add({ days: day }).toString());
}
