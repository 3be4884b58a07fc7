// A decision about a business day: under `scheme:date`. Days are planned a week ahead; a date that nobody planned has nothing to decide.

import { factFromRecord, type AnyDecoded } from "@sluice/contracts";
import { dayKey, decideDay, isDayFact, type Day } from "@sluice/domain";
import { assert } from "@sluice/runtime";
import { notedBefore, notPossible, refused, type ActingPorts, type Deciding } from "./acting.ts";
import type { ControlAnswer } from "./control-handler.ts";

type DayDecisionName = "extendClose" | "declareCreditsFinal" | "openGate";
type DayRecord = Extract<AnyDecoded, { readonly name: "CloseExtensionRequested" | "CreditsFinalRequested" | "GateOpeningRequested" }>;

/** `judge`: what else is to be said before it is appended; null: nothing. */
export async function decideOnDay(
  ports: ActingPorts,
  { action, question }: Pick<Deciding<DayDecisionName>, "action" | "question">,
  record: DayRecord,
  judge: (day: Day) => Promise<ControlAnswer | null> = () => Promise.resolve(null),
): Promise<ControlAnswer> {
  const key = dayKey(question.path["scheme"] ?? "", question.path["date"] ?? "");
  const day = (await ports.store.days.load([key])).get(key);
  if (day === undefined) return refused(404, "Not known", "This business day is not planned. Days are planned a week ahead.");
  const before = notedBefore(day.decisions, record.name, action);
  if (before === "repeat") return await ports.append(key, action, record);
  if (before !== null) return before;
  const why = refusalOf(ports, day, record);
  if (why !== null) return notPossible(why);
  return (await judge(day)) ?? (await ports.append(key, action, record));
}

export function isBank({ configuration }: ActingPorts, bank: string): boolean {
  return configuration.banks.some(({ id }) => id === bank);
}

export const unknownBank = refused(422, "The decision cannot be processed.", "/bank: no bank has this id");

/** By the domain, as if the record were the next one under this key. */
function refusalOf({ agreedTime }: ActingPorts, day: Day, record: DayRecord): string | null {
  const fact = factFromRecord(record, day.key);
  assert(fact !== null && isDayFact(fact), `${record.name} is a fact about a day`);
  const place = { offset: day.applied + 1n, appendedAtMs: agreedTime.nowMs() ?? 0 };
  const outcome = decideDay(day.key, day, fact, place);
  return outcome.decision === "refused" ? (outcome.reason ?? "day-over") : null;
}
