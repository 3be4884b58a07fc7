// A fact about a bank: the domain decides, and its marker goes to every lane, dispatcher and event publisher, one copy to each partition.

import { factFromRecord, outgoingRecord, recordFromBankMarker, topics } from "@sluice/contracts";
import { decideBank, isBankFact } from "@sluice/domain";
import type { BankMarkerOutput } from "@sluice/domain";
import type { OutgoingRecord } from "@sluice/messaging";
import { assert } from "@sluice/runtime";
import { aboutNothing } from "./handler.ts";
import type { Handler, Surroundings } from "./handler.ts";

export const onBankFact: Handler = {
  aggregate: "bank",
  judge({ record, key, decoded }, working, surroundings) {
    const fact = factFromRecord(decoded, key);
    assert(fact !== null && isBankFact(fact), `${decoded.name} is a fact about a bank`);
    const place = { offset: record.offset, appendedAtMs: record.appendedAtMs };
    const outcome = decideBank(key, working.banks.get(key) ?? null, fact, place);
    const outgoing = outcome.outputs.flatMap((output) => copies(output, key, surroundings));
    working.banks.set(key, outcome.standing);
    const { decision, reason, standing: bank } = outcome;
    return { ...aboutNothing, record, key, name: decoded.name, decision, reason, outgoing, bank, action: fact.action };
  },
};

const targets = [topics.journal, topics.dispatch, topics.events];

function copies({ marker }: BankMarkerOutput, key: string, { serde, lanes }: Surroundings): readonly OutgoingRecord[] {
  return targets.flatMap((topic) =>
    Array.from({ length: lanes }, (_, partition) =>
      outgoingRecord(serde, topic, key, recordFromBankMarker(marker, partition), { lanes, partition }),
    ),
  );
}
