// openGate: the gate of one bank is opened over credits that are not resolved. Who opens it names every one of them; one that is not named is
// told, and nothing is appended.
//
// Of more credits than can be named, all that are listed are named: the others go with them. Otherwise the gate of a bank that is down over a whole
// credit run could be opened by nobody.

import type { Day } from "@sluice/domain";
import { gateStanding } from "@sluice/domain";
import { deciding, notPossible, refused, type ActingPorts } from "./acting.ts";
import { decideOnDay, isBank, unknownBank } from "./acting-on-day.ts";
import { awaitedCredits } from "./awaited-credits.ts";
import type { ControlAnswer, ControlHandler } from "./control-handler.ts";

const namedMax = 100;

export function openGate(ports: ActingPorts): ControlHandler {
  return deciding(ports, "openGate", async (asked) => {
    const { scheme = "", date: businessDate = "" } = asked.question.path;
    const { bank, credits } = asked.body;
    if (!isBank(ports, bank)) return unknownBank;
    const value = { action: asked.action, scheme, businessDate, bank, credits };
    return await decideOnDay(ports, asked, { name: "GateOpeningRequested", value }, (day) => judge(ports, day, bank, new Set(credits)));
  });
}

async function judge({ store }: ActingPorts, day: Day, bank: string, named: ReadonlySet<string>): Promise<ControlAnswer | null> {
  const standing = gateStanding(day, bank);
  if (standing.kind === "open") return notPossible("gate-open");
  if (standing.kind !== "credits-unresolved") return null;
  const { uetrs, isMore } = await awaitedCredits(store, day, bank, standing.declaration);
  const missing = uetrs.filter((uetr) => !named.has(uetr));
  if (missing.length === 0) return null;
  const more = isMore || missing.length > namedMax ? ", …" : "";
  return refused(409, "Other credits are unresolved", `Not named: ${missing.slice(0, namedMax).join(", ")}${more}`);
}
