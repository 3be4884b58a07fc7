// A bank or connector is paused, or its pause ends: nothing is released, delivered or posted to it in between.

import { partiesOf } from "@sluice/config";
import { deciding, refused, type ActingPorts } from "./acting.ts";
import type { ControlHandler } from "./control-handler.ts";

export function pauseBank(ports: ActingPorts): ControlHandler {
  return deciding("pauseBank", ({ reason }, question) => append(ports, "BankPauseRequested", reason, question));
}

export function resumeBank(ports: ActingPorts): ControlHandler {
  return deciding("resumeBank", ({ reason }, question) => append(ports, "BankResumeRequested", reason, question));
}

async function append(
  { configuration, append: appendAction }: ActingPorts,
  name: "BankPauseRequested" | "BankResumeRequested",
  reason: string,
  { operator, path, actionId }: Parameters<ControlHandler>[0],
) {
  const bank = path["bank"] ?? "";
  if (!partiesOf(configuration).some(({ id }) => id === bank)) return refused(404, "Not known", "No bank or connector has this id.");
  return await appendAction({ operator, reason, actionId, key: `bank:${bank}`, record: (action) => ({ name, value: { action, bank } }) });
}
