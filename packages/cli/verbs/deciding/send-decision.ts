// Sends an operator's decision, then waits for its result.
//
// #1 The decision is sent under one id, repeatedly while the console is not available or does not answer, for at most
//    `sendMaxMs`: it counts once.
// #2 Exit 0: it was applied, or was so already; with --no-wait: it is in the journal. Exit 4: it was
//    refused, and the reason is printed. Exit 5: there is no result in time.
// #3 A reason is required; it is kept with the decision for good.
// #4 A decision that needs a second person is a proposal: exit 0, as it is recorded, and the line says that it waits.
// #5 On a terminal a decision that cannot be undone is asked about first, with what it would do. A script is not asked.
//    With --dry-run nothing is sent; exit 4 if it would be refused.
// #6 A confirmed skip has no result: it waits until the partition has skipped the record. Exit 1: not within 30 s.

import { randomUUID } from "node:crypto";
import { Fault, sleep, type Time } from "@sluice/kernel";
import { controlClient, controlOptions, type AnswerBody, type ControlClient, type ControlTerminal } from "../../terminal/control-client.ts";
import { memberRows } from "../../terminal/control-table.ts";
import { awaitSkip, skipOutcome } from "./await-skip.ts";
import { exitRefused, exitUnknown } from "../../terminal/exit-codes.ts";
import type { VerbCall, VerbOptions } from "../../terminal/verb.ts";
import type { LoadPreview, Preview } from "./preview.ts";

export interface DecisionCall {
  readonly path: string;
  /** Body of the request without the reason. */
  readonly body: AnswerBody;
  /** The decision in words, for the line with the result. */
  readonly what: string;
  /** #5 What it would do. */
  readonly preview?: LoadPreview;
  /** #5 What a person types to go on with a decision that cannot be undone. */
  readonly confirmedBy?: string;
}

/** #3 */
export const decisionOptions = {
  reason: { type: "string", placeholder: "TEXT", text: "why; kept with the decision, with its operator and time", isRequired: true },
  id: { type: "string", placeholder: "ID", text: "the decision's id (one is made): sent again under the same id it counts once" },
  "no-wait": { type: "boolean", text: "does not wait for the result" },
  "dry-run": { type: "boolean", text: "only says what it would do, and whether it would be refused as things stand" },
  yes: { type: "boolean", text: "does not ask on a terminal, where the decision cannot be undone" },
  ...controlOptions,
} as const satisfies VerbOptions;

export const decisionNotes = [
  "Exit 0 if it was applied, was so already, or is proposed to a second person; 4 if it was refused; 5 without a result within 15 s.",
] as const;

/** The person did not confirm, and nothing was sent; or a partition has not skipped its record in time. */
const exitNotDone = 1;
const sendMaxMs = 15_000;
const waitMaxMs = 15_000;
const againMs = 250;

export async function runDecision(call: VerbCall, where: ControlTerminal, time: Time, decision: DecisionCall): Promise<number> {
  const reason = call.value("reason") ?? "";
  if (reason.trim() === "") throw new Fault("cli.no-reason", "--reason says why: it is kept with the decision", { isRetryable: false });
  const client = await controlClient(call, where);
  if (call.flag("dry-run")) return await showPreview(client, where, decision, call.flag("json"));
  if (!call.flag("yes") && !(await isConfirmed(client, where, decision))) {
    where.out("nothing was sent");
    return exitNotDone;
  }
  const id = call.value("id") ?? randomUUID();
  const accepted = await sendDecision(client, time, decision.path, { reason, ...decision.body }, id);
  if (accepted["schema"] === "SkipRequested") return await finishSkip(call, where, { client, time, decision, accepted });
  const isDecision = accepted["schema"] === "ActionAccepted";
  const isUnawaited = call.flag("no-wait") || !isDecision;
  const judged = isUnawaited ? null : await awaitResult(client, time, String(accepted["key"]), String(accepted["action"]));
  if (call.flag("json")) where.out(JSON.stringify({ ...accepted, judged }, null, 2));
  else if (isProposed(accepted)) where.out(proposedLine(decision.what, accepted));
  else where.out(isDecision ? resultLine(decision, accepted, judged, isUnawaited) : unawaitedLine(decision, accepted));
  if (judged === null) return isUnawaited ? 0 : exitUnknown;
  return judged["result"] === "refused" ? exitRefused : 0;
}

interface AcceptedSkip {
  readonly client: ControlClient;
  readonly time: Time;
  readonly decision: DecisionCall;
  readonly accepted: AnswerBody;
}

/** #6 */
async function finishSkip(call: VerbCall, where: ControlTerminal, { client, time, decision, accepted }: AcceptedSkip): Promise<number> {
  const [letter, action] = [String(accepted["letter"]), String(accepted["action"])];
  const hasPassed = call.flag("no-wait") ? null : await awaitSkip(client, time, letter);
  if (call.flag("json")) where.out(JSON.stringify({ ...accepted, hasPassed }, null, 2));
  else where.out(`${decision.what}: ${skipOutcome(hasPassed)} (letter ${letter}, decision ${action})`);
  return hasPassed === false ? exitNotDone : 0;
}

/** #5 */
async function showPreview(client: ControlClient, where: ControlTerminal, { what, path, body, preview }: DecisionCall, isJson: boolean) {
  const { lines, refusal }: Preview = preview === undefined ? { lines: [], refusal: null } : await preview(client);
  const verdict = refusal === null ? "nothing was sent" : `nothing was sent; it would be refused: ${refusal}`;
  const text = [`would be sent: ${what}`, ...lines, verdict].join("\n");
  where.out(isJson ? JSON.stringify({ schema: "DecisionPreview", what, path, body, lines, refusal }, null, 2) : text);
  return refusal === null ? 0 : exitRefused;
}

/** #5 */
async function isConfirmed(client: ControlClient, where: ControlTerminal, { what, preview, confirmedBy }: DecisionCall): Promise<boolean> {
  if (confirmedBy === undefined || where.ask === undefined) return true;
  const { lines, refusal } = preview === undefined ? { lines: [], refusal: null } : await preview(client);
  const against = refusal === null ? [] : [`it would be refused: ${refusal}`];
  const typed = await where.ask([what, ...lines, ...against, `Type ${confirmedBy} to go on: `].join("\n"));
  return typed.trim() === confirmedBy;
}

/** #4 */
export function isProposed(accepted: AnswerBody): boolean {
  return accepted["schema"] === "DecisionProposed";
}

export function proposedLine(what: string, accepted: AnswerBody): string {
  const [id, state, expiresAt] = [String(accepted["id"]), String(accepted["state"]), String(accepted["expiresAt"])];
  if (state !== "proposed") return `${what}: was proposed as ${id} before, and is ${state} (./sluice proposals)`;
  return `${what}: proposed as ${id}, and without effect until another person confirms it, by ${expiresAt} (./sluice proposals)`;
}

/** The value of a required option. Throws a Fault if it is missing. */
export function requireOption(call: VerbCall, option: string): string {
  const value = call.value(option);
  if (value !== null && value !== "") return value;
  throw new Fault("cli.no-option", `--${option} is missing`, { isRetryable: false });
}

/** #1 */
export async function sendDecision(client: ControlClient, time: Time, path: string, body: AnswerBody, id: string): Promise<AnswerBody> {
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

/** Null: there is no result in time. */
async function awaitResult(client: ControlClient, time: Time, key: string, id: string): Promise<AnswerBody | null> {
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

/** What was done with dead letters, or ended a proposal, has no result to wait for. */
function unawaitedLine({ what }: DecisionCall, accepted: AnswerBody): string {
  if (accepted["schema"] === "ProposalEnded") return `${what}: its decision never takes effect (proposal ${String(accepted["id"])})`;
  if (accepted["schema"] === "Erasure") return `${what}: erased, ${String(accepted["transactions"])} transactions`;
  if (accepted["schema"] === "DeadLettersReplays")
    return `${what}: ${String(accepted["records"])} records replayed (decision ${String(accepted["action"])})`;
  return `${what}: ${memberRows(accepted, "rows").length} records replayed (decision ${String(accepted["action"])})`;
}

function resultLine({ what }: DecisionCall, accepted: AnswerBody, judged: AnswerBody | null, isUnawaited: boolean): string {
  const place = `decision ${String(accepted["action"])}, journal ${String(accepted["partition"])}/${String(accepted["offset"])}`;
  if (judged === null) return `${what}: in the journal${isUnawaited ? "" : ", without a result within 15 s"} (${place})`;
  const { result, why, explained, awaitsConfirmation } = judged;
  if (awaitsConfirmation === true) return `${what}: proposed, a second person has to confirm it (${place})`;
  const because = typeof why === "string" ? `: ${why}, ${String(explained)}` : "";
  return `${what}: ${String(result)}${because} (${place})`;
}
