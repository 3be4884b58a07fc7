// The environment of the calendar verbs: where results go, today's date, what is up; and how they choose a
// configuration file and dates.

import { fileURLToPath } from "node:url";
import type { Configuration } from "@sluice/config";
import { Fault } from "@sluice/kernel";
import type { HeldOnDate } from "./calendar-held.ts";
import { misuse, parseDateOption, rulesTerminal, type RulesTerminal } from "../rules/rules-terminal.ts";
import { readUpState } from "../local/up-state.ts";
import { exitUsage } from "../../terminal/exit-codes.ts";
import type { VerbCall, RunVerb } from "../../terminal/verb.ts";

export interface CalendarTerminal extends Pick<RulesTerminal, "out" | "err" | "today" | "now" | "environment"> {
  /** Configuration file of what is up; null: nothing is up. */
  upFile(): Promise<string | null>;
  /** Held debits by scheme, date and bank; null: nothing is up. */
  heldDebits(): Promise<readonly HeldOnDate[] | null>;
}

const calendarTerminal: CalendarTerminal = {
  ...rulesTerminal,
  upFile: async () => (await readUpState([]))?.configurationFile ?? null,
  async heldDebits() {
    const up = await readUpState(["mongo"]);
    if (up === null) return null;
    const { countHeldUp } = await import("./calendar-held.ts");
    return await countHeldUp(up);
  },
};

export type RunCalendarVerb = (call: VerbCall, where: CalendarTerminal) => Promise<number>;

/** Reports wrong use in one line. */
export function reportCalendarMisuse(name: string, run: RunCalendarVerb): RunCalendarVerb {
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

export function asCalendarVerb(run: RunCalendarVerb): RunVerb {
  return (call) => run(call, calendarTerminal);
}

const shippedFile = fileURLToPath(new URL("../../../../infra/local/sluice.yaml", import.meta.url));

/** Reads the file of --config, else that of what is up, else the sample of `./sluice up`. */
export async function loadCalendarConfiguration(call: VerbCall, where: CalendarTerminal): Promise<Configuration> {
  const { readConfigurationFile } = await import("@sluice/config");
  const file = call.value("config") ?? (await where.upFile()) ?? shippedFile;
  return readConfigurationFile(file, where.environment);
}

/** Two years: nobody reads more dates. */
export const datesShownMax = 740;

export interface DateRange {
  readonly from: string;
  readonly to: string;
}

/** The dates of --from and --to, both included; by default today and `days` later. */
export function parseDateRange(call: VerbCall, where: CalendarTerminal, days: number): DateRange {
  const from = parseDateOption(call, "from", where.today());
  const to = parseDateOption(call, "to", Temporal.PlainDate.from(from).add({ days }).toString());
  if (to < from) throw misuse("--to is before --from");
  if (listDates({ from, to }).length > datesShownMax) throw misuse(`from --from to --to are at most ${datesShownMax} dates`);
  return { from, to };
}

export function listDates({ from, to }: DateRange): readonly string[] {
  const first = Temporal.PlainDate.from(from);
  const days = Math.min(first.until(to).days, datesShownMax);
  return Array.from({ length: days + 1 }, (_, day) => first.add({ days: day }).toString());
}
