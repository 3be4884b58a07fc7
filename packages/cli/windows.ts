// `./sluice windows`: each business day with its windows, planned and actual, and each bank's gate with the reason why it is closed.

import { asControlVerb, controlClient, type Body, type RunControlVerb } from "./control-client.ts";
import { rowsAt, shown, textAt } from "./control-table.ts";

export const runWindows: RunControlVerb = async (call, where) => {
  const client = await controlClient(call, where);
  const query = Object.fromEntries(["scheme", "from", "to"].map((name) => [name, call.value(name)]));
  const body = await client.get("/windows", query);
  if (call.flag("json")) {
    where.out(JSON.stringify(body, null, 2));
    return 0;
  }
  const days = rowsAt(body, "rows");
  where.out(days.length === 0 ? "no day is planned there" : days.map(dayText).join("\n"));
  return 0;
};

export const windows = asControlVerb(runWindows);

function dayText(day: Body): string {
  const given = rowsAt(day, "windows");
  const head = `${textAt(day, "day")}${day["isVoided"] === true ? "  VOIDED" : ""}`;
  if (given.length === 0) return `${head}  no window; next business date ${textAt(day, "nextBusinessDate")}`;
  const lines = [
    ...given.map(windowText),
    `  reconciliation  closes ${textAt(day, "reconciliation.closes")}${actual(day, "reconciliation.closedAt", "closed")}`,
    ...gateLines(day),
    ...rowsAt(day, "putBacks").map(putBackText),
  ];
  return [head, ...lines.map(shown)].join("\n");
}

function windowText(window: Body): string {
  const missed = window["state"] === "missed" ? "  MISSED" : "";
  const opened = actual(window, "openedAt", "opened");
  const closed = actual(window, "closedAt", "closed");
  return `  window ${textAt(window, "number")}  ${textAt(window, "opens")}${opened} to ${textAt(window, "closes")}${closed}  ${textAt(window, "state")}${missed}`;
}

function actual(row: Body, path: string, word: string): string {
  const time = textAt(row, path);
  return time === "-" ? "" : ` (${word} ${time})`;
}

/** Banks with the same to say are said once. */
function gateLines(day: Body): readonly string[] {
  const bySaying = Map.groupBy(rowsAt(day, "gates"), (gate) => (gate["isOpen"] === true ? "open" : `closed: ${textAt(gate, "reason")}`));
  return [...bySaying].map(([saying, gates]) => {
    const named = gates.length > 1 && bySaying.size === 1 ? "all banks" : gates.map((gate) => textAt(gate, "bank")).join(", ");
    return `  gate of ${named}  ${saying}`;
  });
}

function putBackText(putBack: Body): string {
  const close = putBack["window"] === 0 ? "reconciliation" : `window ${textAt(putBack, "window")}`;
  return `  put back  ${close} to ${textAt(putBack, "closes")} by ${textAt(putBack, "operator")}: ${textAt(putBack, "reason")}`;
}
