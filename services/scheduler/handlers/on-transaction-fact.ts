// Handles a fact about one debit or credit: the domain decides, the document keeps the messages, the outputs become
// records.
//
// #1 The accepted message, the applied verdict and the final report are kept as the bytes of their journal records.
// #2 Outputs are a function of the document and the record, so a replay gives the same bytes.
// #3 A record that follows a dead-lettered one goes into the dead letters too, at every replay again.

import { type AnyDecodedRecord, factFromRecord, keepDecoded, readTrace, sha256Hex } from "@sluice/contracts";
import { decide, extendRules, isTransactionFact, type Transaction, type TransactionFact } from "@sluice/domain";
import { buildDeadLetter } from "@sluice/messaging";
import { assert } from "@sluice/kernel";
import { noSearchTerms, type TransactionDocument } from "@sluice/store";
import { type HandledRecord, type HandlerContext, type JournalHandler, noEffects, type SourceRecord, type UnitOfWork } from "./handler.ts";
import { addSearchTerms } from "./search-terms.ts";
import { renderOutputs } from "./render-outputs.ts";

export const onTransactionFact: JournalHandler = {
  aggregate: "transaction",
  handle(read, working, context) {
    const { record, key, decoded } = read;
    const fact = factFromRecord(decoded, key);
    assert(fact !== null && isTransactionFact(fact), `${decoded.name} is a fact about a transaction`);
    const handled = handleFact(read, key, fact, working, context);
    const { decision, reason } = handled;
    const letters =
      decision === "dead-lettered"
        ? [buildDeadLetter({ record, reason: reason ?? decision, service: context.service }, context.serde)]
        : [];
    const action = "action" in fact ? fact.action : null;
    return { ...noEffects, ...handled, record, key, name: decoded.name, outgoing: [...handled.outgoing, ...letters], action };
  },
};

/** The replayed records follow right behind: the dead letters of the records before it are written first. */
export const onReplayAnnounced: JournalHandler = { ...onTransactionFact, beginsBatch: true };

/** Applies a fact to its transaction: puts the changed document into `working`. */
export function handleFact(
  cause: SourceRecord,
  key: string,
  fact: TransactionFact,
  working: UnitOfWork,
  context: HandlerContext,
): Pick<HandledRecord, "decision" | "reason" | "transaction" | "outgoing"> {
  const before = working.documents.get(key) ?? null;
  const place = { offset: cause.record.offset, appendedAtMs: cause.record.appendedAtMs };
  const { decision, reason, transaction, outputs } = decide(key, before?.transaction ?? null, fact, place, working.markers, sha256Hex);
  const after = updateDocument(before, transaction, decision === "applied", cause, context);
  const outgoing = after === null ? [] : renderOutputs(outputs, after, cause, context);
  working.documents.set(key, after);
  return { decision, reason, transaction, outgoing };
}

const noBytes = new Uint8Array();

function updateDocument(
  before: TransactionDocument | null,
  transaction: Transaction | null,
  isApplied: boolean,
  { record, decoded }: SourceRecord,
  { rulesVersion, serde }: HandlerContext,
): TransactionDocument | null {
  if (transaction === null) return null;
  if (transaction === before?.transaction) return before;
  const bytes = record.value ?? noBytes;
  const hide = (text: string) => (serde.searchTerm === undefined ? text : serde.searchTerm(bytes, text));
  const isAccepted = (before?.transaction.message ?? null) === null && transaction.message !== null;
  const isFinal = (before?.transaction.finalReport ?? null) === null && transaction.finalReport !== null;
  const isVerdict = isApplied && decoded?.name === "AccountVerified";
  return {
    transaction,
    acceptedMessage: isAccepted ? keepBytes(bytes, decoded) : (before?.acceptedMessage ?? noBytes),
    verdict: isVerdict ? keepBytes(bytes, decoded) : (before?.verdict ?? null),
    finalReport: isFinal ? keepBytes(bytes, decoded) : (before?.finalReport ?? null),
    search: addSearchTerms(before?.search ?? noSearchTerms, isAccepted || isVerdict || isFinal ? decoded : null, hide),
    rules: extendRules(before?.rules ?? null, rulesVersion),
    traceparent: isAccepted ? readTrace(record.headers) : (before?.traceparent ?? null),
  };
}

/** A copy, because a record's bytes are a part of all that was fetched with it. What renders it need not decode it. */
function keepBytes(bytes: Uint8Array, decoded: AnyDecodedRecord | null): Uint8Array {
  const kept = bytes.slice();
  if (decoded !== null) keepDecoded(kept, decoded);
  return kept;
}
