// `./sluice windows`: each business day with its windows, planned and actual, and each bank's gate with the reason why
// it is closed.

import { asWatchedVerb } from "../../terminal/control-list.ts";
import { loadZones, localTime } from "../../terminal/scheme-zones.ts";
import { watchOption } from "../../terminal/watch.ts";
import { controlClient, controlOptions, type AnswerBody, type RunControlVerb } from "../../terminal/control-client.ts";
import { memberRows, maskControlCharacters, memberText, decidersText } from "../../terminal/control-table.ts";
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
  const zones = days.length === 0 ? new Map<string, string>() : await loadZones(client);
  where.out(
    days.length === 0 ? "no day is planned there" : days.map((day, index) => dayText(day, days[index - 1] ?? null, zones)).join("\n"),
  );
  return 0;
};

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

function dayText(day: AnswerBody, before: AnswerBody | null, zones: ReadonlyMap<string, string>): string {
  const given = memberRows(day, "windows");
  const zone = zones.get(memberText(day, "day").split(":")[0] ?? "");
  const local = zone === undefined || given.length === 0 ? "" : `  ${localSummary(day, zone)}`;
  const head = `${memberText(day, "day")}${local}${day["isVoided"] === true ? "  VOIDED" : ""}`;
  if (given.length === 0) return `${head}  no window; next business date ${memberText(day, "nextBusinessDate")}`;
  const lines = [
    ...given.map(windowText),
    `  reconciliation  closes ${memberText(day, "reconciliation.closes")}${actual(day, "reconciliation.closedAt", "closed")}`,
    ...gateLinesAfter(day, before),
    ...memberRows(day, "putBacks").map(extensionText),
  ];
  return [head, ...lines.map(maskControlCharacters)].join("\n");
}

function windowText(window: AnswerBody): string {
  const missed = window["state"] === "missed" ? "  MISSED" : "";
  const opened = actual(window, "openedAt", "opened");
  const closed = actual(window, "closedAt", "closed");
  return `  window ${memberText(window, "number")}  ${memberText(window, "opens")}${opened} to ${memberText(window, "closes")}${closed}  ${memberText(window, "state")}${missed}`;
}

function actual(row: AnswerBody, path: string, word: string): string {
  const time = memberText(row, path);
  return time === "-" ? "" : ` (${word} ${time})`;
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

function extensionText(extension: AnswerBody): string {
  const close = extension["window"] === 0 ? "reconciliation" : `window ${memberText(extension, "window")}`;
  return `  extended  ${close} to ${memberText(extension, "closes")} by ${decidersText(extension, "")}: ${memberText(extension, "reason")}`;
}
