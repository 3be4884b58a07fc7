// The new time of a close: `--closes-at INSTANT`, or `--by 30m`, counted from the close that is in force.

import { readDuration } from "@sluice/config/durations";
import { Fault } from "@sluice/kernel";
import type { ControlClient } from "../../terminal/control-client.ts";
import { memberRows } from "../../terminal/control-table.ts";
import { parseTimeOfDay } from "../../terminal/scheme-zones.ts";
import type { VerbCall } from "../../terminal/verb.ts";

/** `number` 0 is the reconciliation. */
export async function parseNewClose(call: Pick<VerbCall, "value">, day: string, number: number, client: ControlClient): Promise<string> {
  const [closesAt, by] = [call.value("closes-at"), call.value("by")];
  if ((closesAt === null) === (by === null)) throw unfit("--closes-at or --by, and not both");
  if (by === null) return await parseTimeOfDay(closesAt ?? "", day, client);
  const ms = readDuration(by);
  if (ms === null || ms === 0) throw unfit("--by: a duration such as 90s, 30m or 2h");
  const inForce = await findClose(day, number, client);
  return Temporal.Instant.from(inForce).add({ milliseconds: ms }).toString();
}

async function findClose(day: string, number: number, client: ControlClient): Promise<string> {
  const [scheme = "", date = ""] = day.split(":");
  const [found] = memberRows(await client.get("/windows", { scheme, from: date, to: date }), "rows");
  const window = number === 0 ? found?.["reconciliation"] : memberRows(found ?? {}, "windows").find((one) => one["number"] === number);
  const closes = typeof window === "object" && window !== null && "closes" in window ? window.closes : null;
  if (typeof closes === "string") return closes;
  throw unfit(`--by: ${day} has no ${number === 0 ? "reconciliation" : `window ${number}`}; see ./sluice windows`);
}

function unfit(text: string): Fault {
  return new Fault("cli.unfit-option", text, { isRetryable: false });
}
