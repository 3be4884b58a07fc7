// pauseBank, resumeBank: a bank or connector is paused, or its pause ends; nothing is released, delivered or posted to it in between.

import { partiesOf } from "@sluice/config";
import { bankKey } from "@sluice/domain";
import { deciding, notedBefore, refused, type ActingPorts, type Deciding } from "./acting.ts";
import type { ControlAnswer, ControlHandler } from "./control-handler.ts";

export function pauseBank(ports: ActingPorts): ControlHandler {
  return deciding(ports, "pauseBank", (asked) => decide(ports, "BankPauseRequested", asked));
}

export function resumeBank(ports: ActingPorts): ControlHandler {
  return deciding(ports, "resumeBank", (asked) => decide(ports, "BankResumeRequested", asked));
}

async function decide(
  { store, configuration, append }: ActingPorts,
  name: "BankPauseRequested" | "BankResumeRequested",
  { action, question }: Pick<Deciding<"pauseBank">, "action" | "question">,
): Promise<ControlAnswer> {
  const bank = question.path["bank"] ?? "";
  const standing = (await store.banks.load([bank])).get(bank);
  // One that is no longer configured may still be paused, and can be resumed.
  const isKnown = standing !== undefined || partiesOf(configuration).some(({ id }) => id === bank);
  if (!isKnown) return refused(404, "Not known", "No bank or connector has this id.");
  const before = notedBefore(standing?.decisions ?? [], name, action);
  if (before !== null && before !== "repeat") return before;
  const value = { action, bank };
  return await append(
    bankKey(bank),
    action,
    name === "BankPauseRequested" ? { name, value: { ...value, untilMs: null } } : { name, value },
  );
}
