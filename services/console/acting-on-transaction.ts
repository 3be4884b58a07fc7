// A decision about a transaction: under its UETR.

import { factFromRecord, sha256Hex, type AnyDecoded } from "@sluice/contracts";
import { decide, isTransactionFact, laneView, type Transaction } from "@sluice/domain";
import { assert } from "@sluice/runtime";
import { notedBefore, notPossible, refused, type ActingPorts, type Deciding } from "./acting.ts";
import type { ControlAnswer } from "./control-handler.ts";

type TransactionDecisionName = "withdrawDebit" | "redriveDelivery" | "resolveItem" | "confirmResolution";
type TransactionRecord = Extract<
  AnyDecoded,
  { readonly name: "WithdrawalRequested" | "RedriveRequested" | "ItemResolutionRequested" | "ItemResolutionConfirmed" }
>;

export async function decideOnTransaction(
  ports: ActingPorts,
  { action, question }: Pick<Deciding<TransactionDecisionName>, "action" | "question">,
  record: TransactionRecord,
): Promise<ControlAnswer> {
  const uetr = question.path["uetr"] ?? "";
  const transaction = await loaded(ports, uetr);
  if ("kind" in transaction) return transaction;
  const before = notedBefore(transaction.decisions, record.name, action);
  if (before !== null && before !== "repeat") return before;
  const why = before === "repeat" ? null : refusalOf(ports, transaction, record);
  return why === null ? await ports.append(uetr, action, record) : notPossible(why);
}

/** As the store has it; what it does not have is asked for again once the lane is seen to be up to date. */
async function loaded({ store, knownAsOf }: ActingPorts, uetr: string): Promise<Transaction | ControlAnswer> {
  const load = async (): Promise<Transaction | null> => (await store.transactions.load([uetr])).get(uetr)?.transaction ?? null;
  const found = await load();
  if (found !== null) return found;
  if ((await knownAsOf.of(uetr)) === null) {
    return { kind: "unavailable", detail: "It cannot be told now whether there is such a transaction. Ask again." };
  }
  return (await load()) ?? refused(404, "Not known", "Nothing is known of this UETR.");
}

/** By the domain, as if the record were the next one under this key; what the lane has passed since is not looked at. */
function refusalOf({ agreedTime }: ActingPorts, transaction: Transaction, record: TransactionRecord): string | null {
  const { uetr, lane, applied } = transaction;
  const fact = factFromRecord(record, uetr);
  assert(fact !== null && isTransactionFact(fact), `${record.name} is a fact about a transaction`);
  const place = { offset: applied + 1n, appendedAtMs: agreedTime.nowMs() ?? 0 };
  const outcome = decide(uetr, transaction, fact, place, laneView(lane, []), sha256Hex);
  return outcome.decision === "refused" ? (outcome.reason ?? "not-in-this-state") : null;
}
