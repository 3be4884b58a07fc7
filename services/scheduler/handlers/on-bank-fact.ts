// Handles a fact about a bank: the domain decides, and its marker is copied into every partition of journal, dispatch
// and events.

import { factFromRecord, outgoingRecord, recordFromBankMarker, topics } from "@sluice/contracts";
import { type BankMarkerOutput, decideBank, isBankFact } from "@sluice/domain";
import type { OutgoingRecord } from "@sluice/messaging";
import { assert } from "@sluice/kernel";
import { type HandlerContext, type JournalHandler, noEffects } from "./handler.ts";

export const onBankFact: JournalHandler = {
  aggregate: "bank",
  handle({ record, key, decoded }, working, context) {
    const fact = factFromRecord(decoded, key);
    assert(fact !== null && isBankFact(fact), `${decoded.name} is a fact about a bank`);
    const place = { offset: record.offset, appendedAtMs: record.appendedAtMs };
    const outcome = decideBank(key, working.banks.get(key) ?? null, fact, place);
    const outgoing = outcome.outputs.flatMap((output) => copyToPartitions(output, key, context));
    working.banks.set(key, outcome.state);
    const { decision, reason, state: bank } = outcome;
    return { ...noEffects, record, key, name: decoded.name, decision, reason, outgoing, bank, action: fact.action };
  },
};

const targets = [topics.journal, topics.dispatch, topics.events];

function copyToPartitions({ marker }: BankMarkerOutput, key: string, { serde, partitionCount }: HandlerContext): readonly OutgoingRecord[] {
  return targets.flatMap((topic) =>
    Array.from({ length: partitionCount }, (_, partition) =>
      outgoingRecord(serde, topic, key, recordFromBankMarker(marker, partition), { partitionCount, partition }),
    ),
  );
}
