// A fact about one debit or credit: the domain decides, the document keeps the messages, the outputs become records.
//
// 1. The accepted message, the verdict that was applied and the final report are kept as the bytes that lay in the journal.
// 2. Outputs are a function of the document and the record at hand, so a replay gives the same bytes.

import { factFromRecord, sha256Hex } from "@sluice/contracts";
import { decide, isTransactionFact } from "@sluice/domain";
import type { Transaction } from "@sluice/domain";
import { assert } from "@sluice/runtime";
import { noSearchTerms } from "@sluice/store";
import type { TransactionDocument } from "@sluice/store";
import type { Handler, JournalRecord } from "./handler.ts";
import { withTerms } from "./search-terms.ts";
import { renderOutputs } from "./render-outputs.ts";

export const onTransactionFact: Handler = {
  aggregate: "transaction",
  judge(read, working, surroundings) {
    const { record, key, decoded } = read;
    const fact = factFromRecord(decoded, key);
    assert(fact !== null && isTransactionFact(fact), `${decoded.name} is a fact about a transaction`);
    const before = working.documents.get(key) ?? null;
    const place = { offset: record.offset, appendedAtMs: record.appendedAtMs };
    const outcome = decide(key, before?.transaction ?? null, fact, place, working.lane, sha256Hex);
    const after = documentAfter(before, outcome.transaction, outcome.decision === "applied", read);
    const outgoing = after === null ? [] : renderOutputs(outcome.outputs, after, read, surroundings);
    working.documents.set(key, after);
    return {
      record,
      key,
      name: decoded.name,
      decision: outcome.decision,
      reason: outcome.reason,
      outgoing,
      transaction: outcome.transaction,
      day: null,
      marker: null,
    };
  },
};

const noBytes = new Uint8Array();

function documentAfter(
  before: TransactionDocument | null,
  transaction: Transaction | null,
  isApplied: boolean,
  { record, decoded }: JournalRecord,
): TransactionDocument | null {
  if (transaction === null) return null;
  if (transaction === before?.transaction) return before;
  const bytes = record.value ?? noBytes;
  const isAccepted = (before?.transaction.message ?? null) === null && transaction.message !== null;
  const isFinal = (before?.transaction.finalReport ?? null) === null && transaction.finalReport !== null;
  const isVerdict = isApplied && decoded.name === "AccountVerified";
  return {
    transaction,
    acceptedMessage: isAccepted ? bytes.slice() : (before?.acceptedMessage ?? noBytes),
    verdict: isVerdict ? bytes.slice() : (before?.verdict ?? null),
    finalReport: isFinal ? bytes.slice() : (before?.finalReport ?? null),
    search: withTerms(before?.search ?? noSearchTerms, isAccepted || isVerdict || isFinal ? decoded : null),
  };
}
