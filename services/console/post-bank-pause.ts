// pauseBank, resumeBank: a bank or connector is paused, or its pause ends; nothing is released, delivered or posted to it in between.
// A pause with an end is a maintenance.

import { partiesOf } from "@sluice/config";
import type { Decoded, OperatorAction } from "@sluice/contracts";
import { bankKey } from "@sluice/domain";
import { deciding, notedBefore, refused, type ActingPorts } from "./acting.ts";
import type { ControlAnswer, ControlHandler } from "./control-handler.ts";
import { millisecondOf } from "./millisecond-of.ts";

export function pauseBank(ports: ActingPorts): ControlHandler {
  return deciding(ports, "pauseBank", async ({ action, question, body }) => {
    const untilMs = body.until === null ? null : millisecondOf(body.until);
    if (body.until !== null && untilMs === null) return refused(422, cannotProcess, "/until: whole milliseconds");
    const bank = question.path["bank"] ?? "";
    return await decide(ports, action, bank, { name: "BankPauseRequested", value: { action, bank, untilMs } });
  });
}

export function resumeBank(ports: ActingPorts): ControlHandler {
  return deciding(ports, "resumeBank", async ({ action, question }) => {
    const bank = question.path["bank"] ?? "";
    return await decide(ports, action, bank, { name: "BankResumeRequested", value: { action, bank } });
  });
}

const cannotProcess = "The decision cannot be processed.";

async function decide(
  { store, configuration, agreedTime, append }: ActingPorts,
  action: OperatorAction,
  bank: string,
  record: Decoded<"BankPauseRequested"> | Decoded<"BankResumeRequested">,
): Promise<ControlAnswer> {
  const standing = (await store.banks.load([bank])).get(bank);
  // One that is no longer configured may still be paused, and can be resumed.
  const isKnown = standing !== undefined || partiesOf(configuration).some(({ id }) => id === bank);
  if (!isKnown) return refused(404, "Not known", "No bank or connector has this id.");
  const before = notedBefore(standing?.decisions ?? [], record.name, action);
  if (before !== null && before !== "repeat") return before;
  // A repeat counts once, whatever became of its end meanwhile.
  if (before === null && isBehind(record, agreedTime.nowMs())) return refused(422, cannotProcess, "/until: must be ahead");
  return await append(bankKey(bank), action, record);
}

function isBehind({ name, value }: Decoded<"BankPauseRequested"> | Decoded<"BankResumeRequested">, nowMs: number | null): boolean {
  return name === "BankPauseRequested" && value.untilMs !== null && nowMs !== null && value.untilMs <= nowMs;
}
