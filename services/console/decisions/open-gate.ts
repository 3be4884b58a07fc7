// openGate: opens the gate of one bank although credits are unresolved. The operator names every one of them; if one is
// missing, the answer names it and nothing is appended.
//
// If there are more credits than can be listed, naming all that are listed is enough. Otherwise nobody could open the
// gate of a bank that is down during a whole credit run.

import { type Day, readGateStatus } from "@sluice/domain";
import { createDecisionHandler, refuseNow, refuseWith, type DecisionPorts } from "./decision.ts";
import { decideOnDay, isConfiguredBank, unknownBankRefusal } from "./decide-on-day.ts";
import { listAwaitedCredits } from "../queries/awaited-credits.ts";
import type { ControlAnswer, ControlHandler } from "../http/control-handler.ts";

const namedMax = 100;

export function openGate(ports: DecisionPorts): ControlHandler {
  return createDecisionHandler(ports, "openGate", async (asked) => {
    const { scheme = "", date: businessDate = "" } = asked.question.path;
    const { bank, credits } = asked.body;
    if (!isConfiguredBank(ports, bank)) return unknownBankRefusal;
    const value = { action: asked.action, scheme, businessDate, bank, credits };
    return await decideOnDay(ports, asked, { name: "GateOpeningRequested", value }, (day) =>
      checkCredits(ports, day, bank, new Set(credits)),
    );
  });
}

async function checkCredits({ store }: DecisionPorts, day: Day, bank: string, named: ReadonlySet<string>): Promise<ControlAnswer | null> {
  const gate = readGateStatus(day, bank);
  if (gate.kind === "open") return refuseNow("gate-open");
  if (gate.kind !== "credits-unresolved") return null;
  const { uetrs, isMore } = await listAwaitedCredits(store, day, bank, gate.declaration);
  const missing = uetrs.filter((uetr) => !named.has(uetr));
  if (missing.length === 0) return null;
  const more = isMore || missing.length > namedMax ? ", …" : "";
  return refuseWith(409, "Other credits are unresolved", `Not named: ${missing.slice(0, namedMax).join(", ")}${more}`);
}
