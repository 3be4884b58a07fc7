// Handles a day's marker. Everything before it is done by then: the batch ends with it, and the worker applies it.

import { markerFromRecord } from "@sluice/contracts";
import { assert } from "@sluice/kernel";
import { type JournalHandler, noEffects } from "./handler.ts";

export const onDayMarker: JournalHandler = {
  aggregate: "partition",
  handle({ record, key, decoded }) {
    const marker = markerFromRecord(decoded);
    assert(marker !== null, `${decoded.name} is a marker`);
    const applied = { marker, position: { offset: record.offset, appendedAtMs: record.appendedAtMs } };
    return { ...noEffects, record, key, name: decoded.name, decision: "passed", reason: null, outgoing: [], marker: applied };
  },
};
