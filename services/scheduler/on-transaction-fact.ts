// A fact about one debit or credit: the domain decides, the document keeps the messages, the outputs become records.
//
// 1. The accepted message, the verdict that was applied and the final report are kept as the bytes that lay in the journal.
// 2. Outputs are a function of the document and the record at hand, so a replay gives the same bytes.
// 3. A record that follows one that was put aside goes into the dead letters too, with its mark, at every replay again.

import { factFromRecord, sha256Hex } from "@sluice/contracts";
import { decide, isTransactionFact } from "@sluice/domain";
import type { Transaction, TransactionFact } from "@sluice/domain";
import { deadLetterOf } from "@sluice/messaging";
import { assert } from "@sluice/runtime";
import { noSearchTerms } from "@sluice/store";
import type { TransactionDocument } from "@sluice/store";
import { aboutNothing } from "./handler.ts";
import type { Cause, Handler, Surroundings, Turn, Working } from "./handler.ts";
import { withTerms } from "./search-terms.ts";
import { renderOutputs } from "./render-outputs.ts";

export const onTransactionFact: Handler = {
  aggregate: "transaction",
  judge(read, working, surroundings) {
    const { record, key, decoded } = read;
    const fact = factFromRecord(decoded, key);
    assert(fact !== null && isTransactionFact(fact), `${decoded.name} is a fact about a transaction`);
    const judged = judgeFact(read, key, fact, working, surroundings);
    const { decision, reason } = judged;
    const letters =
      decision === "put-aside"
        ? [deadLetterOf({ record, reason: reason ?? decision, service: surroundings.service }, surroundings.serde)]
        : [];
    const action = "action" in fact ? fact.action : null;
    return { ...aboutNothing, ...judged, record, key, name: decoded.name, outgoing: [...judged.outgoing, ...letters], action };
  },
};

/** The records of a transaction that were put aside follow right behind: the dead letters of what lies before are written first. */
export const onDeadLettersReplayed: Handler = { ...onTransactionFact, beginsBatch: true };

/** What a record means for its transaction: the document as it is from now on is put into `working`. */
export function judgeFact(
  cause: Cause,
  key: string,
  fact: TransactionFact,
  working: Working,
  surroundings: Surroundings,
): Pick<Turn, "decision" | "reason" | "transaction" | "outgoing"> {
  const before = working.documents.get(key) ?? null;
  const place = { offset: cause.record.offset, appendedAtMs: cause.record.appendedAtMs };
  const { decision, reason, transaction, outputs } = decide(key, before?.transaction ?? null, fact, place, working.lane, sha256Hex);
  const after = documentAfter(before, transaction, decision === "applied", cause);
  const outgoing = after === null ? [] : renderOutputs(outputs, after, cause, surroundings);
  working.documents.set(key, after);
  return { decision, reason, transaction, outgoing };
}

const noBytes = new Uint8Array();

function documentAfter(
  before: TransactionDocument | null,
  transaction: Transaction | null,
  isApplied: boolean,
  { record, decoded }: Cause,
): TransactionDocument | null {
  if (transaction === null) return null;
  if (transaction === before?.transaction) return before;
  const bytes = record.value ?? noBytes;
  const isAccepted = (before?.transaction.message ?? null) === null && transaction.message !== null;
  const isFinal = (before?.transaction.finalReport ?? null) === null && transaction.finalReport !== null;
  const isVerdict = isApplied && decoded?.name === "AccountVerified";
  return {
    transaction,
    acceptedMessage: isAccepted ? bytes.slice() : (before?.acceptedMessage ?? noBytes),
    verdict: isVerdict ? bytes.slice() : (before?.verdict ?? null),
    finalReport: isFinal ? bytes.slice() : (before?.finalReport ?? null),
    search: withTerms(before?.search ?? noSearchTerms, isAccepted || isVerdict || isFinal ? decoded : null),
  };
}
