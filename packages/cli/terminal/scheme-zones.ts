// Times as the people of a scheme say them: the zone of each scheme comes from the console.

import { Fault } from "@sluice/kernel";
import type { ControlClient } from "./control-client.ts";
import { memberRows, memberText } from "./control-table.ts";

export interface SchemeClocks {
  /** The zone of each scheme. */
  readonly zones: ReadonlyMap<string, string>;
  /** Now by the broker clock; null: it is not known. */
  readonly now: Temporal.Instant | null;
}

/** No zones and no time if the console does not say. */
export async function loadClocks(client: ControlClient): Promise<SchemeClocks> {
  try {
    const me = await client.get("/me");
    const zones = new Map(memberRows(me, "schemes").map((row) => [memberText(row, "id"), memberText(row, "zone")]));
    return { zones, now: typeof me["asOf"] === "string" ? Temporal.Instant.from(me["asOf"]) : null };
  } catch (error) {
    if (error instanceof Fault) return { zones: new Map(), now: null };
    throw error;
  }
}

export async function loadZones(client: ControlClient): Promise<ReadonlyMap<string, string>> {
  return (await loadClocks(client)).zones;
}

/** `16:00` in that zone. */
export function localTime(instant: string, zone: string): string {
  return Temporal.Instant.from(instant).toZonedDateTimeISO(zone).toPlainTime().toString({ smallestUnit: "minute" });
}

/**
 * An instant with its offset, as it is; or `16:30` on the date of a business day, in its scheme's zone. Throws Fault
 * `cli.wrong-use`.
 */
export async function parseTimeOfDay(given: string, day: string, client: ControlClient): Promise<string> {
  if (!/^\d\d:\d\d$/.test(given)) return given;
  const [scheme = "", date = ""] = day.split(":");
  const zone = (await loadZones(client)).get(scheme);
  if (zone === undefined) {
    throw new Fault("cli.wrong-use", `the console does not say the zone of ${scheme}: give the time with its offset`, {
      isRetryable: false,
    });
  }
  try {
    const at = Temporal.PlainDateTime.from(`${date}T${given}`).toZonedDateTime(zone, { disambiguation: "reject" });
    return at.toString({ timeZoneName: "never", smallestUnit: "second" });
  } catch {
    throw new Fault("cli.wrong-use", `${given} is no time of ${date} in ${zone}, or there are two: give it with its offset`, {
      isRetryable: false,
    });
  }
}
