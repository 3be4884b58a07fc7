// A verb that decides: sends the decision, then waits until what it is about has judged it.
//
// #1 It is sent under one id, again and again while the console says "not now" or nothing, `sendMaxMs` at most: it counts once.
// #2 Exit 0: it was applied, or was so already; with --no-wait: it is in the journal. Else 1, with the reason.
// #3 A reason is always given; it is kept with the decision for good.

import { randomUUID } from "node:crypto";
import { Fault, sleep, type Time } from "@sluice/runtime";
import { controlClient, type Body, type ControlClient, type ControlTerminal } from "./control-client.ts";
import type { Call } from "./verbs.ts";

export interface Decision {
  readonly path: string;
  /** Without the reason. */
  readonly body: Body;
  /** In words, for the line that says what came of it. */
  readonly what: string;
}

export const decisionOptions = {
  reason: { type: "string" },
  id: { type: "string" },
  "no-wait": { type: "boolean" },
  console: { type: "string" },
  json: { type: "boolean" },
} as const;

export const decisionDetails = [
  "--reason TEXT  why; kept with the decision, beside who decided it and when",
  "--id ID        the decision's id (one is made): sent again under the same id it counts once",
  "--no-wait      do not wait until it is judged",
  "--console URL  the console's address (SLUICE_CONTROL_URL, else what ./sluice up started); token: SLUICE_OPERATOR_TOKEN",
  "Exit 0 if it was applied or was so already, 1 if it was refused or not judged within 15 s.",
] as const;

const sendMaxMs = 15_000;
const waitMaxMs = 15_000;
const againMs = 250;

export async function runDecision(call: Call, where: ControlTerminal, time: Time, decision: Decision): Promise<number> {
  const reason = call.value("reason") ?? "";
  if (reason.trim() === "") throw new Fault("cli.no-reason", "--reason says why: it is kept with the decision", { isRetryable: false });
  const client = await controlClient(call, where);
  const id = call.value("id") ?? randomUUID();
  const accepted = await sent(client, time, decision.path, { reason, ...decision.body }, id);
  const judged = call.flag("no-wait") ? null : await judgedOn(client, time, String(accepted["key"]), id);
  if (call.flag("json")) where.out(JSON.stringify({ ...accepted, judged }, null, 2));
  else where.out(lineOf(decision, id, accepted, judged, call.flag("no-wait")));
  if (judged === null) return call.flag("no-wait") ? 0 : 1;
  return judged["result"] === "refused" ? 1 : 0;
}

/** An option without which there is nothing to decide. */
export function neededOption(call: Call, option: string): string {
  const value = call.value(option);
  if (value !== null && value !== "") return value;
  throw new Fault("cli.no-option", `--${option} is missing`, { isRetryable: false });
}

/** #1 */
export async function sent(client: ControlClient, time: Time, path: string, body: Body, id: string): Promise<Body> {
  const untilMs = time.monotonicMs() + sendMaxMs;
  for (;;) {
    try {
      return await client.post(path, body, id);
    } catch (error) {
      const isOver = time.monotonicMs() >= untilMs;
      if (!(error instanceof Fault) || !error.isRetryable) throw error;
      if (isOver)
        throw new Fault(error.code, `${error.message}; whether it was stored is not known: send it again with --id ${id}`, {
          isRetryable: true,
        });
      await sleep(time, againMs * 4);
    }
  }
}

/** Null: not within the time. */
async function judgedOn(client: ControlClient, time: Time, key: string, id: string): Promise<Body | null> {
  const untilMs = time.monotonicMs() + waitMaxMs;
  for (;;) {
    try {
      return await client.get(`/actions/${encodeURIComponent(id)}`, { key });
    } catch (error) {
      const isNotYet = error instanceof Fault && (error.code === "cli.not-known" || error.isRetryable);
      if (!isNotYet) throw error;
    }
    if (time.monotonicMs() >= untilMs) return null;
    await sleep(time, againMs);
  }
}

function lineOf({ what }: Decision, id: string, accepted: Body, judged: Body | null, isUnawaited: boolean): string {
  const place = `decision ${id}, journal ${String(accepted["partition"])}/${String(accepted["offset"])}`;
  if (judged === null) return `${what}: in the journal${isUnawaited ? "" : ", and not judged within 15 s"} (${place})`;
  const { result, why, explained } = judged;
  const because = typeof why === "string" ? `: ${why}, ${String(explained)}` : "";
  return `${what}: ${String(result)}${because} (${place})`;
}
