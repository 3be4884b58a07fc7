// pauseBank, resumeBank: pause a bank or connector, or end its pause. During a pause nothing is released, delivered or
// posted to it. A pause with an end is a maintenance.

import { findBank, findConnector } from "@sluice/config";
import type { DecodedRecord, OperatorAction } from "@sluice/contracts";
import { bankKey } from "@sluice/domain";
import { createDecisionHandler, checkEarlierDecision, refuseWith, wouldBeAppended, type DecisionPorts } from "./decision.ts";
import type { ControlAnswer, ControlHandler } from "../http/control-handler.ts";
import { parseMillisecond } from "./parse-millisecond.ts";

export type BankRecord = DecodedRecord<"BankPauseRequested"> | DecodedRecord<"BankResumeRequested">;

export function pauseBank(ports: DecisionPorts): ControlHandler {
  return createDecisionHandler(ports, "pauseBank", async ({ action, question, body }) => {
    const untilMs = body.until === null ? null : parseMillisecond(body.until);
    if (body.until !== null && untilMs === null) return refuseWith(422, cannotProcess, "/until: whole milliseconds");
    const bank = question.path["bank"] ?? "";
    return await decideOnBank(ports, action, { name: "BankPauseRequested", value: { action, bank, untilMs } });
  });
}

export function resumeBank(ports: DecisionPorts): ControlHandler {
  return createDecisionHandler(ports, "resumeBank", async ({ action, question }) => {
    const bank = question.path["bank"] ?? "";
    return await decideOnBank(ports, action, { name: "BankResumeRequested", value: { action, bank } });
  });
}

const cannotProcess = "The decision cannot be processed.";

export async function decideOnBank(
  { store, configuration, brokerClock, append }: DecisionPorts,
  action: OperatorAction,
  record: BankRecord,
  isCheckOnly = false,
): Promise<ControlAnswer> {
  const { bank } = record.value;
  const state = (await store.banks.load([bank])).get(bank);
  // A receiver that is no longer configured may still be paused, and can be resumed.
  const isKnown = (state ?? findBank(configuration, bank) ?? findConnector(configuration, bank)) !== undefined;
  if (!isKnown) return refuseWith(404, "Not known", "No bank or connector has this id.");
  const before = state === undefined ? null : checkEarlierDecision(state, record, action);
  if (before !== null && before !== "repeat") return before;
  // A repeat counts once, even if its end has passed meanwhile.
  if (before === null && hasEnded(record, brokerClock.nowMs())) return refuseWith(422, cannotProcess, "/until: must be ahead");
  return isCheckOnly ? wouldBeAppended : await append(bankKey(bank), action, record);
}

function hasEnded({ name, value }: BankRecord, nowMs: number | null): boolean {
  return name === "BankPauseRequested" && value.untilMs !== null && nowMs !== null && value.untilMs <= nowMs;
}
