// Handles a bank's marker: the bank is paused, or resumed, for everything behind it. The batch ends with it, and the
// worker applies it.

import { bankMarkerFromRecord } from "@sluice/contracts";
import { assert } from "@sluice/kernel";
import { type JournalHandler, noEffects } from "./handler.ts";

export const onBankMarker: JournalHandler = {
  aggregate: "partition",
  handle({ record, key, decoded }) {
    const marker = bankMarkerFromRecord(decoded);
    assert(marker !== null, `${decoded.name} is a marker of a bank`);
    const bankMarker = { marker, position: { offset: record.offset, appendedAtMs: record.appendedAtMs } };
    return { ...noEffects, record, key, name: decoded.name, decision: "passed", reason: null, outgoing: [], bankMarker };
  },
};
