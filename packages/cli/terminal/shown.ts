// How the answer to a question is shown to a person at a terminal. A program that reads the output, and --json, get it
// as it is: with times in UTC, uncut and at once.
//
// #1 Instants are shown in the zone of the schemes, and a line below says which. Where the schemes differ, or the
//    console does not say, they stay in UTC.
// #2 What is longer or wider than the terminal goes through a pager; where there is none, lines are cut.

import { controlClient, type ControlTerminal, type RunControlVerb } from "./control-client.ts";
import { cutLines } from "./pager.ts";
import { loadZones } from "./scheme-zones.ts";
import type { VerbCall } from "./verb.ts";

export function shown(run: RunControlVerb): RunControlVerb {
  return async (call, where) => {
    const { isTerminal, page, columns } = where;
    if (isTerminal !== true || call.flag("json")) return await run(call, where);
    const texts: string[] = [];
    const code = await run(call, { ...where, out: (text) => void texts.push(text) });
    const text = await withLocalTimes(texts.join("\n"), call, where);
    if (page === undefined || page === null) where.out(columns === undefined ? text : cutLines(text, columns));
    else await page(text);
    return code;
  };
}

const instantForm = /\b(\d{4}-\d\d-\d\d)([ T])(\d\d:\d\d:\d\d(?:\.\d+)?)Z(?![\w-])/g;

/** #1 */
async function withLocalTimes(text: string, call: VerbCall, where: ControlTerminal): Promise<string> {
  if (text.search(instantForm) === -1) return text;
  const zones = new Set((await loadZones(await controlClient(call, where))).values());
  const [zone] = zones;
  return zone === undefined || zones.size > 1 ? text : `${toLocalTimes(text, zone)}\ntimes are those of ${zone}`;
}

/** As many characters as before, so that tables stay in line. */
export function toLocalTimes(text: string, zone: string): string {
  return text.replaceAll(instantForm, (instant: string, date: string, between: string, time: string) => {
    const at = Temporal.Instant.from(`${date}T${time}Z`).toZonedDateTimeISO(zone).toPlainDateTime();
    const [, digits = ""] = time.split(".");
    const local = at.toString({ smallestUnit: digits === "" ? "second" : "millisecond" });
    return local.replace("T", between).padEnd(instant.length);
  });
}
