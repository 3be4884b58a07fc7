// `./sluice windows`: each business day with its windows, planned and actual, how long until the next one opens or
// closes, what is held, and each bank's gate with the reason why it is closed.

import { Fault } from "@sluice/kernel";
import { asWatchedVerb } from "../../terminal/control-list.ts";
import { loadClocks, localTime, type SchemeClocks } from "../../terminal/scheme-zones.ts";
import { watchOption } from "../../terminal/watch.ts";
import { controlClient, controlOptions, type AnswerBody, type ControlClient, type RunControlVerb } from "../../terminal/control-client.ts";
import { decidersText, durationText, maskControlCharacters, memberRows, memberText } from "../../terminal/control-table.ts";
import type { Verb } from "../../terminal/verb.ts";

export const runWindows: RunControlVerb = async (call, where) => {
  const client = await controlClient(call, where);
  const query = Object.fromEntries(["scheme", "from", "to"].map((name) => [name, call.value(name)]));
  const body = await client.get("/windows", query);
  if (call.flag("json")) {
    where.out(JSON.stringify(body, null, 2));
    return 0;
  }
  const days = memberRows(body, "rows");
  if (days.length === 0) {
    where.out("no day is planned there");
    return 0;
  }
  const clocks = await loadClocks(client);
  const held = await loadHeld(client);
  where.out(days.map((day, index) => dayText(day, days[index - 1] ?? null, clocks, held)).join("\n"));
  return 0;
};

/** What is held, by bank and day; null: the console does not say now. */
async function loadHeld(client: ControlClient): Promise<readonly AnswerBody[] | null> {
  try {
    return memberRows(await client.get("/held", { limit: heldRowsMax }), "rows");
  } catch (error) {
    if (error instanceof Fault) return null;
    throw error;
  }
}

/** As many as one answer has; `./sluice held` pages through more. */
const heldRowsMax = "1000";

export const windowsVerb: Verb = {
  name: "windows",
  summary: "business days, their windows and each bank's gate, with the reason why it is closed",
  arguments: [],
  options: {
    scheme: { type: "string", placeholder: "SCHEME", text: "only this scheme, for example ZA_EFT" },
    from: { type: "string", placeholder: "DATE", text: "first date (today)" },
    to: { type: "string", placeholder: "DATE", text: "last date (a week later)" },
    watch: watchOption,
    ...controlOptions,
  },
  examples: ["windows", "windows --scheme ZA_EFT --from 2026-11-20 --to 2026-11-27"],
  run: asWatchedVerb(runWindows),
};

export const windowListVerb: Verb = { ...windowsVerb, name: "window list", examples: ["window list"] };

function dayText(day: AnswerBody, before: AnswerBody | null, { zones, now }: SchemeClocks, held: readonly AnswerBody[] | null): string {
  const given = memberRows(day, "windows");
  const zone = zones.get(memberText(day, "day").split(":")[0] ?? "");
  const local = zone === undefined || given.length === 0 ? "" : `  ${localSummary(day, zone)}`;
  const clock = createClock(memberText(day, "day").split(":")[1] ?? "", zone);
  const head = `${memberText(day, "day")}${local}${day["isVoided"] === true ? "  VOIDED" : ""}`;
  if (given.length === 0) return `${head}  no window; next business date ${memberText(day, "nextBusinessDate")}`;
  const lines = [
    ...given.map((window) => windowText(window, clock, now)),
    `  reconciliation  closes ${clock(day, "reconciliation.closes")}${actual(day, "reconciliation.closedAt", "closed", clock)}${reconciliationDistance(day, now)}`,
    ...heldLines(day, held),
    ...gateLinesAfter(day, before),
    ...memberRows(day, "putBacks").map((extension) => extensionText(extension, clock)),
  ];
  return [head, ...lines.map(maskControlCharacters)].join("\n");
}

/** A time of a day, as its lines show it. */
type DayClock = (row: AnswerBody, path: string) => string;

/** `08:00 (06:00 UTC)`, with `+1d` for the next date of each; where the zone is not known, the instant in UTC. */
function createClock(date: string, zone: string | undefined): DayClock {
  return (row, path) => {
    const shown = memberText(row, path);
    const [, utcDate, time] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)Z$/.exec(shown) ?? [];
    if (zone === undefined || utcDate === undefined || time === undefined) return shown;
    const [utc, local] = ["UTC", zone].map((one) => {
      const at = Temporal.Instant.from(`${utcDate}T${time}Z`).toZonedDateTimeISO(one);
      const days = Temporal.PlainDate.from(date).until(at.toPlainDate()).days;
      const clockTime = at.toPlainTime().toString({ smallestUnit: "second" }).replace(/:00$/, "");
      return days === 0 ? clockTime : `${days > 0 ? "+" : ""}${days}d ${clockTime}`;
    });
    return `${local} (${utc} UTC)`;
  };
}

function windowText(window: AnswerBody, clock: DayClock, now: Temporal.Instant | null): string {
  const missed = window["state"] === "missed" ? "  MISSED" : "";
  const opened = actual(window, "openedAt", "opened", clock);
  const closed = actual(window, "closedAt", "closed", clock);
  return `  window ${memberText(window, "number")}  ${clock(window, "opens")}${opened === "" ? "" : `${opened},`} to ${clock(window, "closes")}${closed}  ${memberText(window, "state")}${missed}${windowDistance(window, now)}`;
}

function windowDistance(window: AnswerBody, now: Temporal.Instant | null): string {
  if (window["state"] === "open") return distance("closes", window["closes"], now);
  return window["state"] === "planned" ? distance("opens", window["opens"], now) : "";
}

function reconciliationDistance(day: AnswerBody, now: Temporal.Instant | null): string {
  const [close] = memberRows({ rows: [day["reconciliation"]] }, "rows");
  return close === undefined || typeof close["closedAt"] === "string" ? "" : distance("closes", close["closes"], now);
}

/** Said up to a day ahead. What was to happen before and has not is said too. */
function distance(verb: "opens" | "closes", at: unknown, now: Temporal.Instant | null): string {
  if (now === null || typeof at !== "string") return "";
  const seconds = Math.round((Temporal.Instant.from(at).epochMilliseconds - now.epochMilliseconds) / 1_000);
  if (seconds > daySeconds) return "";
  return seconds < 0 ? `, was to ${verb.slice(0, -1)} ${durationText(seconds)}` : `, ${verb} in ${durationText(seconds)}`;
}

const daySeconds = 86_400;

/** Sums are of one currency each. */
function heldLines(day: AnswerBody, held: readonly AnswerBody[] | null): readonly string[] {
  if (held === null) return ["  held  not known: the console does not say it now"];
  const rows = held.filter((row) => row["day"] === day["day"]);
  return rows.map((row) => {
    const count = memberText(row, "count");
    const debits = count === "1" ? "1 debit" : `${count} debits`;
    return `  held for ${memberText(row, "bank")}  ${debits}, ${memberText(row, "sum")} ${memberText(row, "currency")}`;
  });
}

function actual(row: AnswerBody, path: string, word: string, clock: DayClock): string {
  const time = clock(row, path);
  return time === "-" ? "" : `, ${word} ${time}`;
}

/** Windows and reconciliation close as the people of the scheme say them. */
function localSummary(day: AnswerBody, zone: string): string {
  const local = (at: unknown): string => (typeof at === "string" ? localTime(at, zone) : "-");
  const spans = memberRows(day, "windows").map((window) => `${local(window["opens"])} to ${local(window["closes"])}`);
  const reconciliation = memberRows({ rows: [day["reconciliation"]] }, "rows").map((close) => `, reconciliation ${local(close["closes"])}`);
  return `${spans.join(", ")}${reconciliation.join("")} (${zone})`;
}

/** The same sentence is not repeated for each day that is ahead. */
function gateLinesAfter(day: AnswerBody, before: AnswerBody | null): readonly string[] {
  const lines = gateLines(day);
  const isSame = before !== null && lines.length > 0 && lines.join() === gateLines(before).join();
  return isSame ? ["  gates as on the day before"] : lines;
}

/** Groups the banks whose gates have the same status into one line. */
function gateLines(day: AnswerBody): readonly string[] {
  const bySaying = Map.groupBy(memberRows(day, "gates"), (gate) =>
    gate["isOpen"] === true ? "open" : `closed: ${memberText(gate, "reason")}`,
  );
  return [...bySaying].map(([saying, gates]) => {
    const named = gates.length > 1 && bySaying.size === 1 ? "all banks" : gates.map((gate) => memberText(gate, "bank")).join(", ");
    return `  gate of ${named}  ${saying}`;
  });
}

function extensionText(extension: AnswerBody, clock: DayClock): string {
  const close = extension["window"] === 0 ? "reconciliation" : `window ${memberText(extension, "window")}`;
  return `  extended  ${close} to ${clock(extension, "closes")} by ${decidersText(extension, "")}: ${memberText(extension, "reason")}`;
}
