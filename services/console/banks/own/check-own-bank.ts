// checkOwnBank: a bank's own person has the bank's addresses called without a message, to see that Sluice reaches them.
//
// #1 It is what an operator's check is, and reaches nothing but the bank's own addresses. The journal of money and what
//    a transaction waits for never see it.
// #2 A bank is called so once in 30 s by each console process, however many of its people ask. One that failed to be
//    asked for does not count.
// #3 An operator of Sluice needs the role act, as for every check.

import type { Time } from "@sluice/kernel";
import { refuseNow, refuseWith } from "../../decisions/decision.ts";
import type { ControlHandler } from "../../http/control-handler.ts";

/** #2 */
const betweenMs = 30_000;
/** More than the configuration admits. */
const banksKept = 2_000;

export function checkOwnBank({ time }: { readonly time: Time }, check: ControlHandler): ControlHandler {
  const lastMs = new Map<string, number>();
  return async (question) => {
    const { operator, path } = question;
    const bank = path["bank"] ?? "";
    if (operator.bank === null && !operator.roles.has("act")) return refuseWith(403, "Not allowed", "This needs the role act.");
    const nowMs = time.monotonicMs();
    if (nowMs - (lastMs.get(bank) ?? Number.NEGATIVE_INFINITY) < betweenMs) return refuseNow("checked-just-now");
    lastMs.delete(bank);
    lastMs.set(bank, nowMs);
    const [oldest] = lastMs.keys();
    if (lastMs.size > banksKept && oldest !== undefined) lastMs.delete(oldest);
    const answer = await check(question);
    if (answer.kind !== "accepted") lastMs.delete(bank);
    return answer;
  };
}
