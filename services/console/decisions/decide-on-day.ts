// Decides about a business day; the record's key is `scheme:date`. Days are planned a week ahead, and a date without
// a plan has nothing to decide about.

import { findBank } from "@sluice/config";
import { factFromRecord, type AnyDecodedRecord } from "@sluice/contracts";
import { dayKey, decideDay, isDayFact, type Day } from "@sluice/domain";
import { assert } from "@sluice/kernel";
import { checkEarlierDecision, refuseNow, refuseWith, wouldBeAppended, type DecisionPorts, type DecisionContext } from "./decision.ts";
import type { ControlAnswer } from "../http/control-handler.ts";

type DayDecisionName = "extendClose" | "declareCreditsFinal" | "openGate";
type DayRecord = Extract<AnyDecodedRecord, { readonly name: "CloseExtensionRequested" | "CreditsFinalRequested" | "GateOpeningRequested" }>;

/** `check` may refuse the decision after the domain has accepted it; null lets it be appended. */
export async function decideOnDay(
  ports: DecisionPorts,
  { action, question }: Pick<DecisionContext<DayDecisionName>, "action" | "question">,
  record: DayRecord,
  check: (day: Day) => Promise<ControlAnswer | null> = () => Promise.resolve(null),
): Promise<ControlAnswer> {
  const key = dayKey(question.path["scheme"] ?? "", question.path["date"] ?? "");
  const day = (await ports.store.days.load([key])).get(key);
  if (day === undefined) return refuseWith(404, "Not known", "This business day is not planned. Days are planned a week ahead.");
  const before = checkEarlierDecision(day, record, action);
  const append = () => (question.isCheckOnly === true ? Promise.resolve(wouldBeAppended) : ports.append(key, action, record));
  if (before === "repeat") return await append();
  if (before !== null) return before;
  const why = findRefusal(ports, day, record);
  if (why !== null) return refuseNow(why);
  return (await check(day)) ?? (await append());
}

export function isConfiguredBank({ configuration }: DecisionPorts, bank: string): boolean {
  return findBank(configuration, bank) !== undefined;
}

export const unknownBankRefusal = refuseWith(422, "The decision cannot be processed.", "/bank: no bank has this id");

/** Asks the domain as if the record were the next one under this key. Null: the domain would accept it. */
function findRefusal({ brokerClock }: DecisionPorts, day: Day, record: DayRecord): string | null {
  const fact = factFromRecord(record, day.key);
  assert(fact !== null && isDayFact(fact), `${record.name} is a fact about a day`);
  const place = { offset: day.applied + 1n, appendedAtMs: brokerClock.nowMs() ?? 0 };
  const outcome = decideDay(day.key, day, fact, place);
  return outcome.decision === "refused" ? (outcome.reason ?? "day-over") : null;
}
