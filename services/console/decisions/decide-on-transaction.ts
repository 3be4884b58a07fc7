// Decides about one transaction; the record's key is its UETR.

import { factFromRecord, sha256Hex, type AnyDecodedRecord, type OperatorAction } from "@sluice/contracts";
import { decide, isTransactionFact, createPartitionView, type Transaction } from "@sluice/domain";
import { assert } from "@sluice/kernel";
import { checkEarlierDecision, refuseNow, refuseWith, wouldBeAppended, type DecisionPorts } from "./decision.ts";
import type { ControlAnswer, ControlRequest } from "../http/control-handler.ts";

export type TransactionRecord = Extract<
  AnyDecodedRecord,
  {
    readonly name:
      | "WithdrawalRequested"
      | "RedriveRequested"
      | "DeliveryStopRequested"
      | "ItemResolutionRequested"
      | "ItemResolutionConfirmed"
      | "ItemResolutionRejected"
      | "ItemNoteRequested";
  }
>;

interface AskedDecision {
  readonly action: OperatorAction;
  /** The transaction is the part `uetr` of the address. */
  readonly question: Pick<ControlRequest, "path" | "isCheckOnly">;
}

export async function decideOnTransaction(
  ports: DecisionPorts,
  { action, question }: AskedDecision,
  record: TransactionRecord,
): Promise<ControlAnswer> {
  const uetr = question.path["uetr"] ?? "";
  const transaction = await loadTransaction(ports, uetr);
  if ("kind" in transaction) return transaction;
  const before = checkEarlierDecision(transaction, record, action);
  if (before !== null && before !== "repeat") return before;
  const why = before === "repeat" ? null : findRefusal(ports.brokerClock.nowMs(), transaction, record);
  if (why !== null) return refuseNow(why);
  return question.isCheckOnly === true ? wouldBeAppended : await ports.append(uetr, action, record);
}

/** Loads from the store. A transaction that is not found is looked up again once its partition is up to date. */
async function loadTransaction({ store, knownAsOf }: DecisionPorts, uetr: string): Promise<Transaction | ControlAnswer> {
  const load = async (): Promise<Transaction | null> => (await store.transactions.load([uetr])).get(uetr)?.transaction ?? null;
  const found = await load();
  if (found !== null) return found;
  if ((await knownAsOf.timeFor(uetr)) === null) {
    return { kind: "unavailable", detail: "It is not known now whether there is such a transaction. Ask again." };
  }
  return (await load()) ?? refuseWith(404, "Not known", "Nothing is known of this UETR.");
}

/**
 * Asks the domain as if the record were the next one under this key. Markers that the partition has applied since are
 * not considered. Null: the domain would accept it.
 */
export function findRefusal(nowMs: number | null, transaction: Transaction, record: TransactionRecord): string | null {
  const { uetr, partition, applied } = transaction;
  const fact = factFromRecord(record, uetr);
  assert(fact !== null && isTransactionFact(fact), `${record.name} is a fact about a transaction`);
  const place = { offset: applied + 1n, appendedAtMs: nowMs ?? 0 };
  const outcome = decide(uetr, transaction, fact, place, createPartitionView(partition, []), sha256Hex);
  return outcome.decision === "refused" ? (outcome.reason ?? "not-in-this-state") : null;
}
